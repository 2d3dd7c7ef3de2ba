"""Starts every kind of process that is easily forgotten, says their ids, and then does as it is told.

The kinds: a plain child, one in a session of its own, a daemon (forked twice), and the same daemon with an empty
environment. With "deaf" none of them hears SIGTERM.
"""
import os
import signal
import sys
import time

from frames import read, write

deaf = "deaf" in sys.argv
if deaf:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def sleep_on():
    # Far beyond any test, and an end all the same.
    time.sleep(300)
    os._exit(0)


def fork(prepare, out):
    if os.fork() == 0:
        prepare()
        os.write(out, b"%d " % os.getpid())
        sleep_on()


def daemon(out, program=None):
    first = os.fork()
    if first == 0:
        os.setsid()
        if os.fork() == 0:
            if program:
                os.execve(program[0], program, {})
            os.write(out, b"%d " % os.getpid())
            sleep_on()
        os._exit(0)
    os.waitpid(first, 0)


incoming, out = os.pipe()
fork(lambda: None, out)
fork(os.setsid, out)
daemon(out)
os.set_inheritable(out, True)
deafen = "signal.signal(signal.SIGTERM, signal.SIG_IGN)" if deaf else "pass"
bare = "import os, signal, time\n%s\nos.write(%d, b'%%d ' %% os.getpid())\ntime.sleep(300)" % (deafen, out)
daemon(out, [sys.executable, "-c", bare])
ids = b""
while len(ids.split()) < 4 or not ids.endswith(b" "):
    ids += os.read(incoming, 100)
write({"pids": [os.getpid()] + [int(word) for word in ids.split()], "guard": os.getppid()})
if "die" in sys.argv:
    os._exit(7)
while read() is not None or deaf:
    time.sleep(0.01)
sleep_on()
