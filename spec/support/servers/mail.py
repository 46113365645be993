"""An SMTP server (aiosmtpd) that keeps what it gets, and a page that shows it as Python's own parser reads it.

Arguments: mode, certificate. Modes: plain, starttls, implicit, login (starttls and kermit/secret, or kermit's token t1), ascii
(takes no addresses beyond it). Recipients: those at refused.example are refused for good, at later.example for now, at slow.example
after a minute; at gone.example the server goes away. """
import asyncio
import base64
import email
import email.policy
import json
import os
import ssl
import threading

from aiosmtpd.smtp import SMTP, AuthResult

messages = []
implicit = False


class Handler:
    async def auth_XOAUTH2(self, server, args):
        blob = base64.b64decode(args[1]) if len(args) > 1 else await server.challenge_auth("")
        good = b"user=kermit\x01auth=Bearer t1\x01\x01" == blob
        return AuthResult(success=good, handled=False)

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.endswith("@refused.example"):
            return "550 5.1.1 no such mailbox"
        if address.endswith("@later.example"):
            return "451 4.3.0 try again later"
        if address.endswith("@slow.example"):
            await asyncio.sleep(60)
        if address.endswith("@gone.example"):
            server.transport.abort()
            return "250 OK"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if b"refuse this text" in envelope.content:
            return "554 5.7.1 we do not want it"
        parsed = email.message_from_bytes(envelope.content, policy=email.policy.default)
        parts = []
        for part in parsed.walk():
            if part.is_multipart():
                parts.append({"type": part.get_content_type()})
                continue
            bytes_ = part.get_payload(decode=True)
            is_text = part.get_content_maintype() == "text"
            parts.append({"type": part.get_content_type(), "charset": part.get_content_charset(), "name": part.get_filename(),
                          "cid": part["Content-ID"], "disposition": part.get_content_disposition(),
                          "text": part.get_content().replace("\r\n", "\n") if is_text else None, "hex": None if is_text else bytes_.hex(),
                          "encoding": str(part["Content-Transfer-Encoding"])})
        messages.append({"from": envelope.mail_from, "to": envelope.rcpt_tos, "headers": {k.lower(): str(v) for k, v in parsed.items()},
                         "defects": [repr(d) for d in parsed.defects], "parts": parts, "tls": implicit or session.ssl is not None,
                         "login": bool(session.authenticated), "longest": max(len(x) for x in envelope.content.split(b"\r\n")),
                         "bare": envelope.content.replace(b"\r\n", b"").count(b"\n")})
        return "250 kept"


def authenticate(server, session, envelope, mechanism, data):
    good = getattr(data, "login", b"") == b"kermit" and getattr(data, "password", b"") == b"secret"
    return AuthResult(success=good, handled=False)


async def page(reader, writer):
    await reader.readuntil(b"\r\n\r\n")
    body = json.dumps(messages).encode()
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    await writer.drain()
    writer.close()


def start(serve, mode="plain", certificate=None):
    global implicit
    ports, ready, implicit = [], threading.Event(), mode == "implicit"

    async def run():
        context = None
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
        options = {"enable_SMTPUTF8": mode != "ascii", "hostname": "spec.example"}
        if mode in ("starttls", "login"):
            options.update(tls_context=context, require_starttls=True)
        if mode == "login":
            options.update(authenticator=authenticate, auth_required=True)
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: SMTP(Handler(), loop=loop, **options), "127.0.0.1", 0,
                                          ssl=context if mode == "implicit" else None)
        shown = await asyncio.start_server(page, "127.0.0.1", 0)
        ports.extend([server.sockets[0].getsockname()[1], shown.sockets[0].getsockname()[1]])
        ready.set()
        await server.serve_forever()

    threading.Thread(target=lambda: asyncio.run(run()), daemon=True).start()
    ready.wait()
    serve(ports, lambda: os._exit(0))
