"""A server that does what servers should not. Each path is one fault; /echo and /count say what arrived."""
import asyncio
import gzip
import json
import os
import socket
import ssl
import struct
import threading
import urllib.parse

counts = {}
meetings = {}


def answer(status, headers=(), body=b"", reason="OK"):
    lines = ["HTTP/1.1 %d %s" % (status, reason)] + ["%s: %s" % h for h in headers] + ["Content-Length: %d" % len(body), "", ""]
    return "\r\n".join(lines).encode() + body


def reset(writer):
    """Closes with RST instead of FIN."""
    s = writer.get_extra_info("socket")
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


class Server:
    def __init__(self, port_of):
        self.port_of = port_of

    async def read(self, reader):
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        method, target, _ = lines[0].split(" ", 2)
        headers = [tuple(x.strip() for x in line.split(":", 1)) for line in lines[1:] if line]
        length = next((int(v) for k, v in headers if k.lower() == "content-length"), 0)
        body = await reader.readexactly(length) if length else b""
        if any(k.lower() == "transfer-encoding" for k, _ in headers):
            while True:
                size = int((await reader.readline()).strip(), 16)
                body += (await reader.readexactly(size + 2))[:-2]
                if size == 0:
                    break
        return method, target, headers, body

    async def handle(self, reader, writer):
        writer.reader = reader
        try:
            while True:
                method, target, headers, body = await self.read(reader)
                url = urllib.parse.urlsplit(target)
                query = dict(urllib.parse.parse_qsl(url.query))
                name = url.path.strip("/").split("/")[0].replace("-", "_") or "echo"
                key = query.get("key")
                if key:
                    counts[key] = counts.get(key, 0) + 1
                out = getattr(self, "on_" + name)
                if await out(writer, method, url, query, headers, body) is False:
                    break
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            pass
        finally:
            writer.close()

    async def on_echo(self, w, method, url, query, headers, body):
        text = json.dumps({"method": method, "path": url.path, "query": url.query, "headers": headers, "body": body.decode("utf-8", "replace")})
        w.write(answer(200, [("Content-Type", "application/json")], b"" if method == "HEAD" else text.encode()))

    async def on_count(self, w, method, url, query, headers, body):
        w.write(answer(200, (), str(counts.get(query["of"], 0)).encode()))

    async def on_slow(self, w, method, url, query, headers, body):
        await asyncio.sleep(int(query.get("ms", "1000")) / 1000)
        w.write(answer(200, (), b"slow"))

    async def on_meet(self, w, method, url, query, headers, body):
        """Answers the `n` requests of a key when all of them are here, and none before."""
        here = query["key"]
        meeting = meetings.setdefault(here, asyncio.Event())
        if counts[here] >= int(query["n"]):
            meeting.set()
        await meeting.wait()
        w.write(answer(200, (), b"met"))

    async def on_status(self, w, method, url, query, headers, body):
        code = int(url.path.rsplit("/", 1)[1])
        text = query.get("body", "status %d" % code).encode()
        w.write(answer(code, [("X-Kind", "status")], b"" if code in (204, 304) else text, "Reason %d" % code))

    async def on_reset(self, w, method, url, query, headers, body):
        w.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")
        await w.drain()
        await asyncio.sleep(0.05)
        reset(w)
        return False

    async def on_refuse(self, w, method, url, query, headers, body):
        """An answer, and in the same moment RST, as of a server that has not read all that it was sent."""
        w.write(answer(413, [("Connection", "close")], b"too much", "Too Large"))
        reset(w)
        return False

    async def on_truncated(self, w, method, url, query, headers, body):
        w.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")
        return False

    async def on_drop(self, w, method, url, query, headers, body):
        """The first `times` requests of a key get no answer at all."""
        if counts[query["key"]] <= int(query.get("times", "1")):
            return False
        w.write(answer(200, (), b"at last"))

    async def on_later(self, w, method, url, query, headers, body):
        if counts[query["key"]] <= int(query.get("times", "1")):
            date = [("Date", query["date"])] if "date" in query else []
            w.write(answer(503, date + [("Retry-After", query.get("after", "0"))], b"", "Busy"))
        else:
            w.write(answer(200, (), b"now"))

    async def on_crowd(self, w, method, url, query, headers, body):
        """How many of a key were here at once, at most."""
        here, peak = query["key"] + " here", query["key"] + " peak"
        counts[here] = counts.get(here, 0) + 1
        counts[peak] = max(counts.get(peak, 0), counts[here])
        await asyncio.sleep(0.05)
        counts[here] -= 1
        w.write(answer(200, (), b"%d" % counts[peak]))

    async def on_drip(self, w, method, url, query, headers, body):
        w.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(1000):
            w.write(b"x")
            await w.drain()
            await asyncio.sleep(float(query.get("every", "1")))

    async def on_silent(self, w, method, url, query, headers, body):
        """No answer; the connection is let go of when the client does, or after a minute."""
        try:
            await asyncio.wait_for(w.reader.read(1), 60)
        except asyncio.TimeoutError:
            pass
        return False

    async def on_headers(self, w, method, url, query, headers, body):
        w.write(b"HTTP/1.1 200 OK\r\n")
        for i in range(100000):
            w.write(b"X-%d: %s\r\n" % (i, b"y" * 200))
            await w.drain()

    async def on_bomb(self, w, method, url, query, headers, body):
        w.write(answer(200, [("Content-Encoding", "gzip")], gzip.compress(b"\0" * (64 << 20))))

    async def on_big(self, w, method, url, query, headers, body):
        w.write(answer(200, (), b"b" * int(query["bytes"])))

    async def on_stream(self, w, method, url, query, headers, body):
        """A body without a length, for ever."""
        w.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        while True:
            w.write(b"s" * 65536)
            await w.drain()

    async def on_garbage(self, w, method, url, query, headers, body):
        w.write(b"220 this is a mail server\r\n\r\n")
        return False

    async def on_loop(self, w, method, url, query, headers, body):
        w.write(answer(302, [("Location", "/loop?" + url.query + "&x=")], b"", "Found"))

    async def on_redirect(self, w, method, url, query, headers, body):
        w.write(answer(int(query.get("code", "302")), [("Location", query["to"])], b"", "Found"))

    async def on_cookies(self, w, method, url, query, headers, body):
        w.write(b"HTTP/1.1 204 No Content\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-Empty:\r\n\r\n")

    async def on_injected(self, w, method, url, query, headers, body):
        w.write(answer(200, [("Content-Type", "application/json")], b'{"broken": '))

    async def on_json(self, w, method, url, query, headers, body):
        w.write(answer(200, [("Content-Type", "application/json")], query.get("text", '{"user":{"name":"kermit","roles":["a","b"]},"none":null}').encode()))

    async def on_token(self, w, method, url, query, headers, body):
        """OAuth: client credentials. Counts under "token"; expires_in as asked for."""
        await asyncio.sleep(0.05)
        form = dict(urllib.parse.parse_qsl(body.decode()))
        auth = dict((k.lower(), v) for k, v in headers).get("authorization", "")
        counts["token"] = counts.get("token", 0) + 1
        if form.get("client_secret") == "wrong" or "d3Jvbmc=" in auth:
            w.write(answer(401, [("Content-Type", "application/json")], b'{"error":"invalid_client"}', "Unauthorized"))
            return
        text = json.dumps({"access_token": "t%d" % counts["token"], "token_type": "Bearer", "expires_in": int(query.get("expires", "3600")),
                           "grant": form.get("grant_type"), "scope": form.get("scope")})
        w.write(answer(200, [("Content-Type", "application/json")], text.encode()))


def start(serve, certificate=None):
    ports = []
    ready = threading.Event()

    async def run():
        server = Server(None)
        context = None
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
        s = await asyncio.start_server(server.handle, "127.0.0.1", 0, ssl=context, backlog=4096, limit=1 << 24)
        ports.append(s.sockets[0].getsockname()[1])
        ready.set()
        await s.serve_forever()

    threading.Thread(target=lambda: asyncio.run(run()), daemon=True).start()
    ready.wait()
    serve(ports, lambda: os._exit(0))
