"""Run a command on a terminal of its own, press Ctrl-C once it has printed a text, and see how it ends."""

import json
import os
import pty
import select
import sys
import time

job = json.load(sys.stdin)
pid, terminal = pty.fork()
if pid == 0:
    os.chdir(job["folder"])
    os.execvp(job["command"][0], job["command"])

output, pressed, end = b"", False, time.time() + 300
while time.time() < end:
    if not pressed and job["waitFor"].encode() in output:
        os.write(terminal, b"\x03")
        pressed = True
        end = time.time() + 60
    ready, _, _ = select.select([terminal], [], [], 0.1)
    if not ready:
        continue
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    output += piece
else:
    os.kill(pid, 9)
_, status = os.waitpid(pid, 0)
signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
print(json.dumps({"output": output.decode(errors="replace"), "signal": signal}))
