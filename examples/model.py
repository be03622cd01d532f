"""A stand-in for a language model: it answers the examples' messages by rules, over OpenAI's API.

It lets the examples run without a key and with the same result each time.
Start it with a port: `python3 model.py 9100`.
"""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

#: A pattern of the user's message, the tool to call, and templates of its arguments.
RULES = [
    (r"weather in (\w+)", "get_weather", {"city": "{0}"}),
    (r"([\d.]+) euros? in (\w+)", "convert", {"euros": "{0:n}", "to": "{1}"}),
    (r"[Oo]rder (\d+) boxes of (\w+)", "order_place", {"boxes": "{0:n}", "item": "{1}"}),
    (r"orders are open", "orders_list", {}),
]


def fill(template, groups):
    """A template's value; `:n` makes it a number."""
    value = template.replace(":n", "").format(*groups)
    return json.loads(value) if ":n" in template else value


def reply(messages):
    """The next message of the conversation: a call, what came of one, or an echo."""
    last = messages[-1]
    if last["role"] == "tool":
        return {"content": f"The tool says: {text(last)}"}
    # Dwell adds notes (time, memory) below the user's words.
    said = text(last).split("<notes>")[0].strip()
    for pattern, name, templates in RULES:
        if found := re.search(pattern, said):
            arguments = {key: fill(value, found.groups()) for key, value in templates.items()}
            function = {"name": name, "arguments": json.dumps(arguments)}
            return {"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]}
    return {"content": f"You said: {said}"}


def text(message):
    """A message's words, which are a string or a list of parts."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


class Handler(BaseHTTPRequestHandler):
    """`GET /v1/models` and `POST /v1/chat/completions`, streamed or not."""

    def do_GET(self):
        self.answer({"object": "list", "data": [{"id": "examples", "object": "model"}]})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message = {"role": "assistant", **reply(body["messages"])}
        reason = "tool_calls" if "tool_calls" in message else "stop"
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        whole = {"id": "1", "created": 1, "model": "examples", "usage": usage}
        choice = {"index": 0, "finish_reason": reason}
        if not body.get("stream"):
            choices = [choice | {"message": message}]
            return self.answer(whole | {"object": "chat.completion", "choices": choices})
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        chunk = whole | {"object": "chat.completion.chunk", "choices": [choice | {"delta": message}]}
        self.wfile.write(f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode())

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        """Says nothing of requests."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print(f"listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()
