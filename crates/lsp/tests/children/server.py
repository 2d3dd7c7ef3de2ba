"""A language server that does what a plan says: `server.py PLAN LOG`.

The plan is JSON. `capabilities` is what it answers to `initialize`; `told` are messages that it sends once it is
initialised, each after so many seconds; `on` says per method what follows: a list of answers, of which the first counts
whose `until` (seconds since it was initialised) or `times` is not over. An answer is `result`, `error`, `hang` or `exit`, and
may come after a `delay`; `send` are messages before it, `ask` is a request to whose answer it waits.
Every message that comes in is a line of the log.
"""

import json
import sys
import threading
import time

plan = json.load(open(sys.argv[1]))
log = open(sys.argv[2], "a", buffering=1)
out = threading.Lock()
answered = threading.Condition()
answers = {}
counts = {}
began = None


def send(message):
    body = json.dumps(message).encode()
    with out:
        sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        sys.stdout.buffer.flush()


def receive():
    length = None
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            sys.exit(0)
        line = line.strip().lower()
        if line.startswith(b"content-length:"):
            length = int(line.split(b":")[1])
        elif not line and length is not None:
            return json.loads(sys.stdin.buffer.read(length))


def tell():
    for message in plan.get("told", []):
        time.sleep(message.pop("after", 0))
        send(message)


def chosen(method):
    rules = plan.get("on", {}).get(method, [])
    seen = counts.get(method, 0)
    counts[method] = seen + 1
    elapsed = time.time() - (began or time.time())
    for rule in rules:
        if elapsed < rule.get("until", 1e9) and seen < rule.get("times", 1e9):
            return rule
    return {"result": None}


def follow(message, rule):
    for one in rule.get("send", []):
        send(one)
    if "ask" in rule:
        send(rule["ask"])
        with answered:
            answered.wait_for(lambda: rule["ask"]["id"] in answers, 10)
    time.sleep(rule.get("delay", 0))
    if "exit" in rule:
        sys.stderr.write("the end of it\n")
        sys.stderr.flush()
        import os

        os._exit(rule["exit"])
    if rule.get("hang") or "id" not in message:
        return
    if "error" in rule:
        send({"jsonrpc": "2.0", "id": message["id"], "error": rule["error"]})
    else:
        send({"jsonrpc": "2.0", "id": message["id"], "result": rule.get("result")})


while True:
    message = receive()
    log.write(json.dumps(message) + "\n")
    method = message.get("method")
    if method is None:
        with answered:
            answers[message["id"]] = message
            answered.notify_all()
    elif method == "initialize" and method not in plan.get("on", {}):
        send({"jsonrpc": "2.0", "id": message["id"], "result": {"capabilities": plan.get("capabilities", {})}})
    elif method == "shutdown" and method not in plan.get("on", {}):
        send({"jsonrpc": "2.0", "id": message["id"], "result": None})
    elif method == "exit" and not plan.get("stays"):
        sys.exit(0)
    elif method != "$/cancelRequest":
        if method == "initialized":
            began = time.time()
            threading.Thread(target=tell, daemon=True).start()
        threading.Thread(target=follow, args=(message, chosen(method)), daemon=True).start()
