"""What every child of these tests needs: frames on standard input and output."""
import json
import os
import sys


def write(value, out=1):
    body = json.dumps(value).encode()
    data = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    while data:
        data = data[os.write(out, data):]


def read():
    length = 0
    for line in iter(sys.stdin.buffer.readline, b""):
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
        if not line.strip():
            return json.loads(sys.stdin.buffer.read(length))
    return None
