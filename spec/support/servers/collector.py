"""A collector of OpenTelemetry's traces, as small as it can be: takes POST /v1/traces, checks the shape of what it gets, and appends a line of
JSON for each request to FOLDER/requests. FOLDER/mode says what it answers, a status and more:
  200        takes it                    200 partial N   takes it but for N spans
  429 S      with Retry-After: S         hold            does not answer until the mode is another one
Every other path answers the headers that came, as a service that is called."""
import http.server
import json
import os
import re
import threading
import time

ID = {"traceId": re.compile("[0-9a-f]{32}$"), "spanId": re.compile("[0-9a-f]{16}$"), "parentSpanId": re.compile("[0-9a-f]{16}$")}
KNOWN = {"traceId", "spanId", "parentSpanId", "traceState", "flags", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes",
         "droppedAttributesCount", "links", "status"}


def attributes_wrong(attributes):
    for a in attributes:
        (kind, value), = a["value"].items()
        if set(a) != {"key", "value"} or not isinstance(value, str) or kind not in ("stringValue", "intValue"):
            return "attribute %s" % a
        if kind == "intValue":
            int(value)
    return None


def span_wrong(span):
    if set(span) - KNOWN:
        return "keys %s" % (set(span) - KNOWN)
    for key, pattern in ID.items():
        if key in span and not pattern.match(span[key]):
            return "%s %s" % (key, span[key])
    if span["kind"] not in (1, 2, 3, 4, 5) or not isinstance(span["flags"], int):
        return "kind or flags"
    if not int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]) or not isinstance(span["startTimeUnixNano"], str):
        return "times"
    return attributes_wrong(span["attributes"])


def wrong(headers, body):
    """What of the request is not as OTLP's JSON has it; None: nothing."""
    if headers.get("Content-Type") != "application/json":
        return "type %s" % headers.get("Content-Type")
    try:
        for resource in json.loads(body)["resourceSpans"]:
            problem = attributes_wrong(resource["resource"]["attributes"])
            for scope in resource["scopeSpans"]:
                for span in scope["spans"]:
                    problem = problem or span_wrong(span)
            if problem:
                return problem
    except (ValueError, KeyError) as e:
        return repr(e)
    return None


def start(serve, folder, port=0):
    lock = threading.Lock()

    def mode():
        try:
            with open(folder + "/mode") as f:
                return f.read().split() or ["200"]
        except OSError:
            return ["200"]

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def reply(self, status, body, headers=()):
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            self.reply(200, json.dumps({k.lower(): v for k, v in self.headers.items()}).encode())

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode("utf-8", "replace")
            if not self.path.endswith("/v1/traces"):
                return self.do_GET()
            now = mode()
            problem = wrong(self.headers, body)
            line = {"at": time.monotonic(), "path": self.path, "headers": {k.lower(): v for k, v in self.headers.items()}, "mode": " ".join(now), "wrong": problem or "",
                    "body": json.loads(body) if not problem else body}
            with lock, open(folder + "/requests", "a") as f:
                f.write(json.dumps(line) + "\n")
            while now[0] == "hold" and mode()[0] == "hold":
                time.sleep(0.01)
            status = 400 if problem else 200 if now[0] == "hold" else int(now[0])
            more = [("Retry-After", now[1])] if status in (429, 503) and len(now) > 1 else []
            partial = {"partialSuccess": {"rejectedSpans": now[2], "errorMessage": "no"}} if now[1:2] == ["partial"] else {}
            try:
                self.reply(status, json.dumps(partial).encode(), more)
            except OSError:
                pass

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True
        allow_reuse_address = True

    server = Server(("127.0.0.1", int(port)), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    serve([server.server_address[1]], lambda: None)
