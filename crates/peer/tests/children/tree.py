"""Starts every kind of process that is easily forgotten, says their ids, and then does as it is told.

The kinds: a plain child, one in a session of its own, a daemon (forked twice), and a plain child and a daemon whose
environment is empty. With "deaf" none of them hears SIGTERM.
"""
import os
import signal
import sys
import time

from frames import read, write

deaf = "deaf" in sys.argv
if deaf:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


# Far beyond any test, and an end all the same.
END = time.time() + 300
ids = [os.getpid()]
incoming, out = os.pipe()
os.set_inheritable(out, True)
deafen = "signal.signal(signal.SIGTERM, signal.SIG_IGN)" if deaf else "pass"
bare = "import os, signal, time\n%s\nos.write(%d, b'%%d' %% os.getpid())\ntime.sleep(300)" % (deafen, out)


def run(empty):
    if empty:
        os.execve(sys.executable, [sys.executable, "-c", bare], {})
    os.write(out, b"%d" % os.getpid())
    time.sleep(300)
    os._exit(0)


def child(empty=False, session=False):
    if os.fork() == 0:
        if session:
            os.setsid()
        run(empty)
    ids.append(int(os.read(incoming, 100)))


def daemon(empty=False):
    first = os.fork()
    if first == 0:
        os.setsid()
        if os.fork() == 0:
            run(empty)
        os._exit(0)
    os.waitpid(first, 0)
    ids.append(int(os.read(incoming, 100)))


child()
child(session=True)
daemon()
child(empty=True)
daemon(empty=True)
write({"pids": ids, "guard": os.getppid()})
if "die" in sys.argv:
    os._exit(7)
while time.time() < END and (read() is not None or deaf):
    time.sleep(0.01)
time.sleep(max(0, END - time.time()))
