"""The Node process: Ctrl-C, a process that is killed, a Python that is killed, forks, progress."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import textwrap
import time
import unittest
import warnings

import numpy as np

from trainlets import DictionaryLearning, omp
from trainlets._process import Process, shared

D, Y = np.eye(4), np.ones((4, 3))

long_run = textwrap.dedent(
    """
    import numpy as np
    from trainlets import DictionaryLearning, _process
    X = np.random.default_rng(1).normal(size=(20_000, 64))
    def show(self, message):
        print(_process.shared.pid, flush=True)
    from trainlets._progress import Progress
    Progress.__call__ = show
    try:
        DictionaryLearning(256, epochs=10_000).fit(X)
    except KeyboardInterrupt:
        print("interrupted", _process.shared.pid, flush=True)
        raise
    """
)


def start_long_run():
    """A Python that learns, and the id of its Node process."""
    python = subprocess.Popen(
        [sys.executable, "-c", long_run], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    return python, int(python.stdout.readline())


def has_ended(pid):
    for _ in range(600):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


class TestProcess(unittest.TestCase):
    def test_ctrl_c_is_a_keyboard_interrupt_and_ends_the_process(self):
        python, node = start_long_run()
        python.send_signal(signal.SIGINT)
        out, errors = python.communicate()
        self.assertIn("interrupted None", out)
        self.assertTrue(errors.rstrip().endswith("KeyboardInterrupt"))
        self.assertTrue(has_ended(node))

    def test_the_process_ends_with_a_python_that_is_killed(self):
        python, node = start_long_run()
        python.kill()
        python.communicate()
        self.assertTrue(has_ended(node))

    def test_a_process_that_is_killed_is_a_runtime_error_and_the_next_call_starts_another(self):
        omp(D, Y, 1)
        os.kill(shared.pid, signal.SIGSTOP)  # so that the request is under way
        node = shared.pid
        subprocess.Popen([sys.executable, "-c", f"import os, time; time.sleep(0.5); os.kill({node}, 9)"])
        with self.assertRaisesRegex(RuntimeError, "the Node process was ended by SIGKILL"):
            omp(D, Y, 1)
        self.assertEqual(omp(D, Y, 1).nnz, 3)
        self.assertNotEqual(shared.pid, node)

    def test_a_failure_says_what_node_said(self):
        process = Process()
        process.ask({"method": "describe"})
        process._running.child.stdin.write(b"\xff\xff\xff\xff")
        process._running.child.stdin.flush()
        with self.assertRaisesRegex(RuntimeError, "exit code 1.*not a message"):
            process.ask({"method": "describe"})

    def test_a_learner_whose_process_has_ended_continues_from_its_atoms(self):
        X = np.random.default_rng(1).normal(size=(200, 16))
        learning = DictionaryLearning(20, sparsity=2, random_state=1).partial_fit(X)
        os.kill(learning._process.pid, signal.SIGKILL)
        learning._process._running.child.wait()
        before = learning.components_
        with self.assertWarnsRegex(UserWarning, "continues from components_"):
            learning.partial_fit(X)
        self.assertGreater(np.abs(np.sum(learning.components_ * before, axis=1)).min(), 0.5)

    @unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
    def test_a_fork_has_a_process_of_its_own(self):
        omp(D, Y, 1)
        node = shared.pid
        child = os.fork()
        if child == 0:
            good = omp(D, Y, 1).nnz == 3 and shared.pid != node
            shared.close()
            os._exit(0 if good else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(omp(D, Y, 1).nnz, 3)
        self.assertEqual(shared.pid, node)

    def test_progress_is_printed(self):
        X = np.random.default_rng(1).normal(size=(400, 16))
        with contextlib.redirect_stderr(io.StringIO()) as printed, warnings.catch_warnings(action="ignore"):
            DictionaryLearning(8, epochs=1, verbose=True).fit(X)
        line = r"^100% · \d+ of \d+ examples · RMSE [\d.]+ · test [\d.]+ · 0:\d\d\n$"
        self.assertRegex(printed.getvalue(), line)
