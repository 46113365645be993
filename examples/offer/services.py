"""The world of the example, on free ports of 127.0.0.1: a service that knows a customer, and a mail server that prints what it gets.
It says its ports, and goes when nobody reads what it says."""
import http.server
import json
import select
import socketserver
import sys
import threading

CUSTOMER = {"name": "Kermit", "mail": "kermit@example.org", "kind": "business", "orders": 12}


class Service(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        known = self.headers["Authorization"] == "Bearer open sesame"
        status = 404 if self.path != "/customers/7" else 200 if known else 401
        body = json.dumps(CUSTOMER if status == 200 else {}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Mail(socketserver.StreamRequestHandler):
    def say(self, line):
        self.wfile.write((line + "\r\n").encode())

    def read(self):
        return self.rfile.readline().decode().rstrip("\r\n")

    def handle(self):
        self.say("220 ready")
        line = self.read()
        while line and line.upper() != "QUIT":
            if line.upper() == "DATA":
                self.say("354 go on")
                lines = iter(self.read, ".")
                print("\n".join("    " + one for one in lines), "    .", sep="\n", flush=True)
            self.say("250 fine")
            line = self.read()
        self.say("221 bye")


def start(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
mail = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Mail)
mail.daemon_threads = True  # a sender may keep its connection
print(start(service), start(mail), flush=True)
poll = select.poll()
poll.register(sys.stdout.fileno(), 0)
while not poll.poll():
    pass
