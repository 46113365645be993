"""A real mail server: OpenSMTPD, which relays what it gets to a port that is given."""
import os
import subprocess
import sys
import tempfile


def start(serve, sink):
    main = sys.modules["__main__"]
    folder, port = tempfile.mkdtemp(), main.free_port()
    with open(folder + "/smtpd.conf", "w") as f:
        f.write("listen on 127.0.0.1 port %d\naction out relay host smtp://127.0.0.1:%s\nmatch from any for any action out\n" % (port, sink))
    os.chmod(folder + "/smtpd.conf", 0o644)
    main.run_program(["smtpd", "-d", "-f", folder + "/smtpd.conf"], [port], folder)
