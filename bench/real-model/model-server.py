"""llama.cpp's own HTTP server (from the package `xllamacpp`) with a GGUF, and in front of it a relay that writes down
every request. Usage: model-server.py GGUF PORT CONTEXT_TOKENS LOG.jsonl [NAME [OUTPUT_TOKENS_MAX [TEMPLATE.jinja]]]"""

import http.client
import http.server
import json
import select
import socket
import sys
import threading
import time
from urllib.parse import urlsplit

import xllamacpp

gguf, port, context, log_path = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
name = sys.argv[5] if len(sys.argv) > 5 else "smollm2"

output = int(sys.argv[6]) if len(sys.argv) > 6 else -1

params = xllamacpp.CommonParams()
params.model.path = gguf
params.model_alias = {name}
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx = context
params.n_parallel = 1
# One thread: several wait for each other at every step, which on a busy machine costs more than it brings.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.use_jinja = True
if len(sys.argv) > 7:
    with open(sys.argv[7], encoding="utf-8") as template:
        params.chat_template = template.read()
params.endpoint_props = True
params.n_predict = output  # a model of this size may never end by itself
params.sampling.seed = 7
server = xllamacpp.Server(params)
behind = urlsplit(server.listening_address)

lock = threading.Lock()
log = open(log_path, "a", encoding="utf-8")


def note(**line):
    with lock:
        log.write(json.dumps({"at": round(time.time(), 3), **line}) + "\n")
        log.flush()


class Relay(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    left = False

    def watch(self, behind_socket, over):
        """A caller that leaves between two words is noticed at once, not with the next word."""
        while not over.is_set():
            ready, _, _ = select.select([self.connection], [], [], 0.1)
            try:
                if ready and not self.connection.recv(1, socket.MSG_PEEK):
                    self.left = True
                    behind_socket.shutdown(socket.SHUT_RDWR)
                    return
            except (OSError, ValueError):
                return
            if ready:
                return

    def relay(self):
        size = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(size) if size else None
        try:
            told = json.loads(body) if body else None
        except ValueError:
            told = {"not_json": len(body)}
        note(asked=f"{self.command} {self.path}", body=told)
        upstream = http.client.HTTPConnection(behind.hostname, behind.port, timeout=600)
        headers = {k: v for k, v in self.headers.items() if k.lower() in ("content-type", "accept", "authorization")}
        answer_bytes, over = bytearray(), threading.Event()
        try:
            upstream.request(self.command, self.path, body=body, headers=headers)
            threading.Thread(target=self.watch, args=(upstream.sock, over), daemon=True).start()
            answer = upstream.getresponse()
            self.send_response(answer.status)
            for key in ("content-type", "retry-after"):
                if answer.getheader(key):
                    self.send_header(key, answer.getheader(key))
            self.send_header("connection", "close")
            self.end_headers()
            self.close_connection = True
            while chunk := answer.read1(65536):
                answer_bytes += chunk
                self.wfile.write(chunk)
                self.wfile.flush()
            if self.left:
                raise BrokenPipeError
            note(answered=f"{self.command} {self.path}", status=answer.status, state="whole",
                 text=answer_bytes.decode("utf-8", "replace")[-6000:])
        except (OSError, http.client.HTTPException):
            note(answered=f"{self.command} {self.path}", state="the caller left",
                 text=answer_bytes.decode("utf-8", "replace")[-600:])
        finally:
            over.set()
            upstream.close()  # llama.cpp stops generating when its caller leaves

    do_GET = do_POST = relay


class Front(http.server.ThreadingHTTPServer):
    daemon_threads = True


print(f"listening on http://127.0.0.1:{port}/v1, model {name}, {context} tokens", flush=True)
Front(("127.0.0.1", port), Relay).serve_forever()
