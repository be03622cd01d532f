"""Orders of office supplies as two HTTP tools. Standard library only: `python3 server.py 9000`."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

orders: list[dict] = []
#: Answers by `Idempotency-Key`: a call that is sent again has the same key and must not act twice.
answers: dict[str, dict] = {}
lock = Lock()


class Handler(BaseHTTPRequestHandler):
    """A call is a POST of its arguments; the body of the answer is what the model is told."""

    def do_POST(self):
        arguments = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        with lock:
            if self.path == "/orders":
                return self.answer({"orders": orders})
            if self.path == "/order":
                key = self.headers["Idempotency-Key"]
                if key not in answers:
                    orders.append({"item": arguments["item"], "boxes": arguments["boxes"]})
                    answers[key] = {"order": len(orders), **orders[-1]}
                return self.answer(answers[key])
        return self.answer({"error": f"there is no {self.path}"}, 404)

    def answer(self, value, status=200):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print(f"listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()
