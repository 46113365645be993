"""Starts one server on a free port of 127.0.0.1, says "ready PORT ...", and ends with its reader: when nobody reads its standard output
any more, because the spec closed it or died, the server goes too."""
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import shutil
import threading
import time


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port, process=None):
    for _ in range(400):
        if process and process.poll() is not None:
            sys.exit("the server ended: %s" % process.returncode)
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    sys.exit("the server does not answer")


def serve_until_reader_goes(ports, stop):
    """The last line of every kind: tells the spec, then waits for the other end of the pipe to close."""
    print("ready", *ports, flush=True)
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    while not poll.poll():
        pass
    stop()
    os._exit(0)


def run_program(command, ports, folder):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                               start_new_session=True)
    wait_for(ports[0], process)

    def stop():
        try:
            os.killpg(process.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        try:
            process.wait(3)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)

    serve_until_reader_goes(ports, stop)


def nginx(root):
    folder, port = tempfile.mkdtemp(), free_port()
    os.chmod(folder, 0o755)
    with open(folder + "/nginx.conf", "w") as f:
        f.write("""daemon off; pid %(f)s/pid; error_log %(f)s/error.log; worker_processes 1;
user root;
events { worker_connections 4096; }
http { access_log off; client_body_temp_path %(f)s/b; proxy_temp_path %(f)s/p; fastcgi_temp_path %(f)s/c; uwsgi_temp_path %(f)s/u;
  scgi_temp_path %(f)s/s; server { listen 127.0.0.1:%(p)d backlog=4096; root %(r)s;
    location = /empty { return 204; } location = /moved { return 301 /moved-here; } location = /moved-here { return 200 "here"; }
    location /only-get { limit_except GET { deny all; } return 200 "got"; } } }""" % {"f": folder, "p": port, "r": root})
    run_program(["nginx", "-c", folder + "/nginx.conf", "-e", folder + "/error.log"], [port], folder)


def tinyproxy():
    folder, port = tempfile.mkdtemp(), free_port()
    with open(folder + "/tinyproxy.conf", "w") as f:
        f.write("Port %d\nListen 127.0.0.1\nTimeout 30\nMaxClients 100\nAllow 127.0.0.1\nViaProxyName \"spec\"\nLogFile \"%s/log\"\n"
                % (port, folder))
    run_program(["tinyproxy", "-d", "-c", folder + "/tinyproxy.conf"], [port], folder)


def httpbin():
    import logging
    from httpbin import app
    from werkzeug.serving import make_server
    logging.getLogger("werkzeug").disabled = True
    server = make_server("127.0.0.1", 0, app, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    serve_until_reader_goes([server.server_port], lambda: None)


def main():
    kind, arguments = sys.argv[1], sys.argv[2:]
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, here)
    if kind in ("nginx", "tinyproxy", "httpbin"):
        globals()[kind](*arguments)
    else:
        module = __import__(kind)
        module.start(serve_until_reader_goes, *arguments)


main()
