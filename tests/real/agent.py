"""An agent without a model: it works through the official client on a checkout of click, by tool answers alone.

    agent.py VISE CHECKOUT

It prints one JSON object: what it was told, and of each task the calls and the bytes of text that were answered.
"""

import asyncio
import json
import os
import subprocess
import sys

from mcp import Client, MCPError, StdioServerParameters

vise, checkout = sys.argv[1:]


class Agent:
    """Calls tools, and counts what an agent would have to read."""

    def __init__(self, client):
        self.client, self.calls, self.bytes = client, 0, 0

    async def call(self, tool, **arguments):
        result = await self.client.call_tool(tool, arguments)
        self.calls += 1
        self.bytes += sum(len(block.text.encode()) for block in result.content)
        return result

    async def good(self, tool, **arguments):
        result = await self.call(tool, **arguments)
        assert not result.is_error, (tool, arguments, result.content[0].text)
        return result.structured_content

    def counts(self):
        counts = {"calls": self.calls, "bytes": self.bytes}
        self.calls = self.bytes = 0
        return counts


def git(*words):
    who = ["-c", "user.name=agent", "-c", "user.email=agent@localhost", "-c", "commit.gpgSign=false"]
    return subprocess.run(["git", *who, *words], cwd=checkout, check=True, capture_output=True, text=True).stdout


async def change_a_signature(agent):
    """`term_len` gets a second parameter, and every caller says it."""
    found = await agent.good("graph", op="callers", symbol="term_len")
    callers = sorted({(edge["file"], edge["line"]) for edge in found["edges"]})
    prepared = await agent.good("ast_edit", pattern="term_len($X)", template="term_len($X, tabs=8)", lang=["python"])
    places = sorted({(place["file"], place["line"]) for place in prepared["places"]})
    await agent.good("resolve", proposal=prepared["proposal"], decision="accept")
    header = "def term_len(x: str)"
    await agent.good("edit", file=found["symbol"]["file"], old=header, new="def term_len(x: str, tabs: int = 8)")
    left = await agent.good("ast_grep", pattern="term_len($X)", lang=["python"])
    return {"callers": callers, "places": places, "left": left["summary"]["matches"], **agent.counts()}


async def replace_by_shape(agent):
    """A form that is not liked any more; the first proposal is dropped after it was read."""
    pattern, paths = "assert not $R.exception", ["tests"]
    found = await agent.good("ast_grep", pattern=pattern, paths=paths, max=3)
    wrong = await agent.good("ast_edit", pattern=pattern, template="assert $R.exception == None", paths=paths)
    await agent.good("resolve", proposal=wrong["proposal"], decision="discard")
    right = await agent.good("ast_edit", pattern=pattern, template="assert $R.exception is None", paths=paths)
    await agent.good("resolve", proposal=right["proposal"], decision="accept")
    return {"matches": found["summary"]["matches"], "changes": right["changes"], **agent.counts()}


async def fix_a_test(agent):
    """Somebody broke a function; what changed, and the tests that reach it, lead there."""
    path = os.path.join(checkout, "src/click/_compat.py")
    with open(path) as file:
        text = file.read()
    line = "    return len(strip_ansi(x))\n"
    assert text.count(line) == 1
    with open(path, "w") as file:
        file.write(text.replace(line, "    return len(x)\n"))
    found = await agent.good("graph", op="diff")
    names = [symbol["name"] for symbol in found["symbols"]]
    read = await agent.good("graph", op="context", symbol="term_len")
    assert "    return len(x)" in read["source"]
    await agent.good("edit", symbol="term_len", action="replace", text=read["source"].replace("len(x)", "len(strip_ansi(x))"))
    tests = [test["symbol"]["name"] for test in found["tests"]]
    return {"changed": names, "found": "test_term_len" in tests, **agent.counts()}


async def main():
    told = {}
    server = StdioServerParameters(command=vise, args=["mcp"], cwd=checkout, env=dict(os.environ))
    async with Client(server) as client:
        agent = Agent(client)
        told["protocol"] = client.protocol_version
        told["instructions"] = client.instructions
        listed = await client.list_tools()
        told["tools"] = [tool.name for tool in listed.tools]
        told["list_bytes"] = len(listed.model_dump_json(by_alias=True, exclude_none=True).encode())
        told["signature"] = await change_a_signature(agent)
        git("commit", "--quiet", "--all", "--message", "Signature")
        told["shape"] = await replace_by_shape(agent)
        git("commit", "--quiet", "--all", "--message", "Shape")
        told["test"] = await fix_a_test(agent)
        told["left_over"] = git("status", "--porcelain")

        # Every other tool, an error, a call that is called off, and many at once.
        await agent.good("write", file="notes.txt", text="hello\n")
        await agent.good("apply_patch", patch="--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1 @@\n-hello\n+bye\n")
        wrong = await agent.call("graph", op="caller", symbol="echo")
        told["error"] = wrong.structured_content["error"]["hint"]
        try:
            await client.call_tool("graf", {})
        except MCPError as error:
            told["unknown"] = str(error)
        index = asyncio.create_task(agent.call("graph", op="unused"))
        await asyncio.sleep(0)
        index.cancel()
        answers = await asyncio.gather(*(agent.good("graph", op="callers", symbol="term_len") for _ in range(50)))
        told["at_once"] = len({json.dumps(answer) for answer in answers})
    # The same client over the handshake of older versions.
    async with Client(server, mode="legacy") as client:
        told["legacy"] = [client.protocol_version, len((await client.list_tools()).tools)]
    return told


print(json.dumps(asyncio.run(main())))
