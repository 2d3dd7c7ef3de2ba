"""A language server for files of words: `words.py LOG [TRAIT…]`.

`def NAME` defines a word, every other whole word refers to it; `wrong: TEXT` at the end of a line is an error, `use NAME`
is one where no file is called so. Traits: `deaf` does not answer `initialize`, `stubborn` does not end when it is told to
and has a child that does not either, `mute` sends no diagnostics, `slow` takes three seconds to hover.
Every message that comes in is a line of the log, with the process that it came to.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import urllib.parse

log = open(sys.argv[1], "a", buffering=1)
traits = sys.argv[2:]
texts = {}
root = None


def note(kind, what):
    log.write(json.dumps({"pid": os.getpid(), kind: what}) + "\n")


def send(message):
    body = json.dumps(dict(message, jsonrpc="2.0")).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()


def receive():
    length = None
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            if "stubborn" in traits:
                time.sleep(600)
            sys.exit(0)
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
        elif not line.strip() and length is not None:
            return json.loads(sys.stdin.buffer.read(length))


def path(uri):
    return pathlib.Path(urllib.parse.unquote(uri.removeprefix("file://")))


def files():
    found = {p: p.read_text() for p in root.rglob("*.words")}
    found.update({path(uri): text for uri, text in texts.items()})
    return found


def places(name):
    for file, text in sorted(files().items()):
        for row, line in enumerate(text.split("\n")):
            for match in re.finditer(r"\b%s\b" % re.escape(name), line):
                start, end = {"line": row, "character": match.start()}, {"line": row, "character": match.end()}
                at = {"uri": file.as_uri(), "range": {"start": start, "end": end}}
                yield at, line[: match.start()].endswith("def ")


def word(params):
    line = texts[params["textDocument"]["uri"]].split("\n")[params["position"]["line"]]
    for match in re.finditer(r"\w+", line):
        if match.start() <= params["position"]["character"] <= match.end():
            return match.group()
    return ""


def wrong(text):
    stems = {file.stem for file in files()}
    for row, line in enumerate(text.split("\n")):
        spot = {"start": {"line": row, "character": 0}, "end": {"line": row, "character": len(line)}}
        if "wrong: " in line:
            yield {"range": spot, "severity": 1, "code": "W", "message": line.split("wrong: ")[1]}
        if line.startswith("use ") and line[4:] not in stems:
            yield {"range": spot, "severity": 1, "code": "U", "message": "there is no file " + line[4:]}


def publish(uri, version):
    if "mute" not in traits:
        params = {"uri": uri, "version": version, "diagnostics": list(wrong(texts[uri]))}
        send({"method": "textDocument/publishDiagnostics", "params": params})


def answer(method, params):
    if method == "initialize":
        offered = ["definition", "references", "hover", "rename", "documentSymbol", "workspaceSymbol"]
        return {"capabilities": dict({one + "Provider": True for one in offered}, textDocumentSync=1)}
    if method == "textDocument/references":
        return [at for at, _ in places(word(params))]
    if method == "textDocument/definition":
        return [at for at, is_definition in places(word(params)) if is_definition]
    if method == "textDocument/hover":
        time.sleep(3 if "slow" in traits else 0)
        return {"contents": "the word " + word(params)}
    if method == "textDocument/rename":
        changes = {}
        for at, _ in places(word(params)):
            changes.setdefault(at["uri"], []).append({"range": at["range"], "newText": params["newName"]})
        return {"changes": changes}
    if method in ("textDocument/documentSymbol", "workspace/symbol"):
        names = {name for text in files().values() for name in re.findall(r"def (\w+)", text)}
        found = [(name, at) for name in sorted(names) for at, is_definition in places(name) if is_definition]
        here = params.get("textDocument", {}).get("uri")
        found = [(name, at) for name, at in found if here in (None, at["uri"])]
        return [{"name": name, "kind": 12, "location": at} for name, at in found]
    return None


note("started", os.getppid())
if "stubborn" in traits:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    note("child", subprocess.Popen([sys.executable, "-c", child], start_new_session=True).pid)
while True:
    message = receive()
    note("message", message)
    method, params = message.get("method"), message.get("params") or {}
    if method == "initialize":
        root = path(params["rootUri"])
        if "deaf" in traits:
            continue
    if method in ("textDocument/didOpen", "textDocument/didChange"):
        document = params["textDocument"]
        texts[document["uri"]] = document.get("text") or params.get("contentChanges", [{"text": ""}])[-1]["text"]
        publish(document["uri"], document["version"])
    if method == "textDocument/didClose":
        texts.pop(params["textDocument"]["uri"])
    if method == "exit" and "stubborn" not in traits:
        sys.exit(0)
    if "id" in message and method:
        send({"id": message["id"], "result": answer(method, params)})
