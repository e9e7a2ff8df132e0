"""A model that knows: an endpoint on this machine that replies to every prompt it was told of.

with serve({prompt: reply}) as url: ...

A word counts as a token: a reply that has more than the request allows is cut off.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Before = Callable[[dict[str, Any]], int]
"""Called with a request before it is answered: the status to answer with."""


@contextmanager
def serve(replies: Mapping[str, str], before: Before = lambda asked: 200) -> Iterator[str]:
    """The address of a server that completes chats from a table of prompts and replies."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status = before(asked)
            if status != 200:
                self._send(status, b'{"error": {"message": "busy"}}', "application/json")
                return
            content = asked["messages"][-1]["content"]
            words = replies[content if isinstance(content, str) else content[0]["text"]].split(" ")
            most = asked.get("max_tokens") or asked.get("max_completion_tokens") or len(words)
            message = {"role": "assistant", "content": " ".join(words[:most])}
            ended = "stop" if len(words) <= most else "length"
            if asked.get("stream"):
                body = _streamed(asked["model"], message, ended)
                self._send(200, body, "text/event-stream")
            else:
                self._send(200, _whole(asked["model"], message, ended), "application/json")

        def _send(self, status: int, body: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


def _head(model: str, kind: str) -> dict[str, object]:
    return {"id": "chat-1", "object": kind, "created": 0, "model": model}


def _whole(model: str, message: dict[str, str], ended: str) -> bytes:
    choice = {"index": 0, "message": message, "finish_reason": ended}
    whole = {**_head(model, "chat.completion"), "choices": [choice], "usage": USAGE}
    return json.dumps(whole).encode()


def _streamed(model: str, message: dict[str, str], ended: str) -> bytes:
    head = _head(model, "chat.completion.chunk")
    said = {"index": 0, "delta": message, "finish_reason": None}
    end = {"index": 0, "delta": {}, "finish_reason": ended}
    events = [
        {**head, "choices": [said]},
        {**head, "choices": [end]},
        {**head, "choices": [], "usage": USAGE},
    ]
    lines = [*map(json.dumps, events), "[DONE]"]
    return "".join(f"data: {line}\n\n" for line in lines).encode()
