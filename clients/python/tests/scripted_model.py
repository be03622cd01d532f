"""A scripted model server with OpenAI's API: slow streams and tool calls."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, slots=True)
class Reply:
    """The model's answer: pieces of text with a pause before each, or tool calls."""

    pieces: tuple[str, ...] = ()
    pause_s: float = 0.0
    call: tuple[str, dict[str, Any]] | None = None
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()

    @property
    def all_calls(self) -> tuple[tuple[str, dict[str, Any]], ...]:
        """The calls, whether one or several."""
        return (self.call,) if self.call else self.calls


def words(text: str, pause_s: float = 0.0) -> Reply:
    return Reply(tuple(f"{word} " for word in text.split()), pause_s)


#: Every call has an id of its own, as those of providers have.
_NUMBERS = itertools.count(1)

Rule = Callable[[list[dict[str, Any]]], Reply]


@dataclass
class ScriptedModel:
    """Listens on a free port until it is stopped; `rule` answers a conversation."""

    rule: Rule = field(default=lambda _: words("All is well."))
    requests: list[list[dict[str, Any]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(b'{"object":"list","data":[]}', "application/json")

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
                model.requests.append(body["messages"])
                reply = model.rule(body["messages"])
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("connection", "close")
                self.end_headers()
                try:
                    for chunk in _chunks(reply, str(body.get("model"))):
                        self.wfile.write(b"data: " + chunk + b"\n\n")
                        self.wfile.flush()
                except OSError:
                    # The client was killed or has cancelled.
                    self.close_connection = True

            def _answer(self, body: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        return Handler


def _chunks(reply: Reply, model: str) -> Iterator[bytes]:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _json({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": [choice]})

    yield chunk({"role": "assistant", "content": None if reply.all_calls else ""})
    for index, (name, arguments) in enumerate(reply.all_calls):
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"index": index, "id": f"call_{next(_NUMBERS)}", "type": "function", "function": function}
        yield chunk({"tool_calls": [call]})
    for piece in reply.pieces:
        time.sleep(reply.pause_s)
        yield chunk({"content": piece})
    yield chunk({}, "tool_calls" if reply.all_calls else "stop")
    usage = {"prompt_tokens": 7, "completion_tokens": len(reply.pieces), "total_tokens": 7 + len(reply.pieces)}
    yield _json(
        {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": [], "usage": usage}
    )
    yield b"[DONE]"


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()
