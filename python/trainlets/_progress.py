"""Progress of a run: one line that is rewritten, in terminals and notebooks; a line now and then elsewhere."""

from __future__ import annotations

import re
import sys
import time
from typing import Any


class Progress:
    """Follows the messages of a training run, and keeps its reports."""

    def __init__(self, verbose: bool) -> None:
        self.plan: dict[str, Any] = {}
        self.reports: list[dict[str, Any]] = []
        self._line = _line_writer() if verbose else None
        self._started = time.monotonic()

    def __call__(self, message: dict[str, Any]) -> None:
        kind = message.pop("kind")
        if kind == "plan":
            self.plan = message
            return
        self.reports.append(snake_keys(message))
        if self._line:
            self._line.show(self._describe())

    def close(self) -> None:
        if self._line:
            self._line.close()

    def _describe(self) -> str:
        report = self.reports[-1]
        total = self.plan["examples"] * self.plan["epochs"]
        done = min(1.0, report["examples"] / total)
        seconds = time.monotonic() - self._started
        parts = [f"{done:4.0%}", f"{report['examples']:,} of {total:,} examples"]
        if report["rmse"] is not None:
            parts.append(f"RMSE {report['rmse']:.4g}")
        tested = [one["test_rmse"] for one in self.reports if "test_rmse" in one]
        if tested:
            parts.append(f"test {tested[-1]:.4g}")
        if 0 < done < 1:
            parts.append(f"{_clock(seconds * (1 - done) / done)} left")
        elif done == 1:
            parts.append(_clock(seconds))
        return " · ".join(parts)


def snake_keys(report: dict[str, Any]) -> dict[str, Any]:
    """A report with names as Python has them: test_rmse for testRmse."""
    return {re.sub("([A-Z])", lambda letter: f"_{letter[0].lower()}", name): value for name, value in report.items()}


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class _Terminal:
    def __init__(self) -> None:
        self._width = 0

    def show(self, text: str) -> None:
        sys.stderr.write(f"\r{text.ljust(self._width)}")
        sys.stderr.flush()
        self._width = len(text)

    def close(self) -> None:
        if self._width:
            sys.stderr.write("\n")
            sys.stderr.flush()


class _Log:
    """For files and pipes: at most one line in ten seconds, and the last."""

    def __init__(self) -> None:
        self._shown = time.monotonic()
        self._waiting = ""

    def show(self, text: str) -> None:
        self._waiting = text
        if time.monotonic() - self._shown >= 10:
            self.close()

    def close(self) -> None:
        if self._waiting:
            print(self._waiting, file=sys.stderr, flush=True)
        self._shown, self._waiting = time.monotonic(), ""


class _Notebook:
    def __init__(self) -> None:
        from IPython.display import display

        self._handle = display(_Text("starting"), display_id=True)
        self._shown = 0.0
        self._waiting = ""

    def show(self, text: str) -> None:
        self._waiting = text
        if time.monotonic() - self._shown >= 0.2:
            self.close()

    def close(self) -> None:
        if self._waiting:
            self._handle.update(_Text(self._waiting))
        self._shown, self._waiting = time.monotonic(), ""


class _Text:
    """A line that a notebook shows as it is."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _line_writer() -> _Terminal | _Log | _Notebook:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if type(shell).__name__ == "ZMQInteractiveShell":
        return _Notebook()
    return _Terminal() if sys.stderr.isatty() else _Log()
