"""A model that knows: an endpoint on this machine that replies to every prompt it was told of.

with serve({prompt: reply}) as url: ...
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@contextmanager
def serve(replies: Mapping[str, str]) -> Iterator[str]:
    """The address of a server that completes chats from a table of prompts and replies."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            content = asked["messages"][-1]["content"]
            text = content if isinstance(content, str) else content[0]["text"]
            message = {"role": "assistant", "content": replies[text]}
            body, kind = _whole(asked["model"], message), "application/json"
            if asked.get("stream"):
                body, kind = _streamed(asked["model"], message), "text/event-stream"
            self.send_response(200)
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


def _whole(model: str, message: dict[str, str]) -> bytes:
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    whole = {**_head(model, "chat.completion"), "choices": [choice], "usage": USAGE}
    return json.dumps(whole).encode()


def _streamed(model: str, message: dict[str, str]) -> bytes:
    head = _head(model, "chat.completion.chunk")
    said = {"index": 0, "delta": message, "finish_reason": None}
    ended = {"index": 0, "delta": {}, "finish_reason": "stop"}
    events = [
        {**head, "choices": [said]},
        {**head, "choices": [ended]},
        {**head, "choices": [], "usage": USAGE},
    ]
    lines = [*map(json.dumps, events), "[DONE]"]
    return "".join(f"data: {line}\n\n" for line in lines).encode()
