"""A proxy between clients and a PostgreSQL server that loses, now and then, what a commit asks or what it answers:
pgproxy.py SERVER_SOCKET OWN_SOCKET EVERY. Of every EVERY-th commit the answer is dropped when it is there, of the one after it the
question; the connection then ends. After SIGUSR1 it keeps back all that clients ask, after SIGUSR2 all that the server answers, and with
SIGHUP both go on: a network that is there in one direction alone. It says "ready", and ends with the reader of what it says."""
import os
import select
import signal
import socket
import struct
import sys
import threading

server_path, own_path, every = sys.argv[1], sys.argv[2], int(sys.argv[3])
lock = threading.Lock()
commits = 0
questions, answers = threading.Event(), threading.Event()


def open_ways(*_):
    questions.set()
    answers.set()


open_ways()
signal.signal(signal.SIGUSR1, lambda *_: questions.clear())
signal.signal(signal.SIGUSR2, lambda *_: answers.clear())
signal.signal(signal.SIGHUP, open_ways)


def count_commit():
    """What is to become of this commit: None, "question" or "answer"."""
    global commits
    with lock:
        commits += 1
        place = commits % every
        return "answer" if place == 0 else "question" if place == 1 and commits > 1 else None


def is_commit(kind, body):
    return kind == b"B" and body[1:].startswith(b"orrery_commit\0")


class Session:
    def __init__(self, client):
        self.client = client
        self.server = socket.socket(socket.AF_UNIX)
        self.server.connect(server_path)
        self.drops_answer = False

    def end(self):
        for s in (self.client, self.server):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def from_client(self):
        """Passes on whole messages; the first one has no kind."""
        data, started = b"", False
        while True:
            more = self.client.recv(1 << 20)
            if not more:
                return
            data += more
            out = b""
            while len(data) >= 5:
                head = 1 if started else 0
                size = struct.unpack("!I", data[head:head + 4])[0] + head
                if len(data) < size:
                    break
                if started and is_commit(data[:1], data[5:size]):
                    lost = count_commit()
                    if lost == "question":
                        return
                    self.drops_answer = self.drops_answer or lost == "answer"
                out, data, started = out + data[:size], data[size:], True
            questions.wait()
            self.server.sendall(out)

    def from_server(self):
        """Messages are whole in the end: ready-for-query ends what a pipeline answers."""
        while True:
            data = self.server.recv(1 << 20)
            if not data:
                return
            answers.wait()
            if self.drops_answer:
                if data[-6:-1] == b"Z\0\0\0\5":
                    return
                continue
            self.client.sendall(data)

    def run(self, work):
        try:
            work()
        except OSError:
            pass
        self.end()


def accept(listener):
    while True:
        client, _ = listener.accept()
        try:
            session = Session(client)
        except OSError:
            client.close()
            continue
        for work in (session.from_client, session.from_server):
            threading.Thread(target=session.run, args=(work,), daemon=True).start()


listening = socket.socket(socket.AF_UNIX)
listening.bind(own_path)
os.chmod(own_path, 0o777)
listening.listen(64)
threading.Thread(target=accept, args=(listening,), daemon=True).start()
print("ready", flush=True)
poll = select.poll()
poll.register(sys.stdout.fileno(), 0)
while not poll.poll():
    pass
os._exit(0)
