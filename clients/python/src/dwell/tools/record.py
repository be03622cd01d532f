"""A file of started calls and their results, so that a restarted worker knows them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

#: The maximum number of calls to keep; the oldest are forgotten when the file is opened.
CALLS_MAX = 10_000


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of a call, as it is sent to the server."""

    content: str
    is_error: bool = False


class CallRecord:
    """Started calls by key. A result of None means that the call was started and did not end.

    One line for each start and each end, flushed to the disk before the function starts, and before
    the result is sent. One process has the file at a time.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open or create the file; raises `BlockingIOError` if another process has it."""
        self._path = Path(path)
        self._file: IO[str] = self._path.open("a+", encoding="utf-8")
        _lock(self._file)
        self._calls: dict[str, CallResult | None] = {}
        for line in self._lines():
            self._calls[line["key"]] = _result_of(line)
        if len(self._calls) > CALLS_MAX:
            self._shorten()
        elif not self._ends_with_newline():
            # The last line was cut off by a crash; the next one starts on its own line.
            self._file.write("\n")

    def __contains__(self, key: str) -> bool:
        """Whether a call was started."""
        return key in self._calls

    def result(self, key: str) -> CallResult | None:
        """The result of a call; None if it has none."""
        return self._calls.get(key)

    def start(self, key: str, tool: str) -> None:
        """Note that a call starts."""
        self._calls[key] = None
        self._append({"key": key, "tool": tool})

    def finish(self, key: str, result: CallResult) -> None:
        """Note the result of a call."""
        self._calls[key] = result
        self._append({"key": key, "content": result.content, "is_error": result.is_error})

    def close(self) -> None:
        """Close the file, so that another process can have it."""
        self._file.close()

    def _append(self, line: dict[str, Any]) -> None:
        self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _lines(self) -> Iterator[dict[str, Any]]:
        self._file.seek(0)
        for text in self._file:
            try:
                line = json.loads(text)
            except ValueError:
                # Cut off by a crash: its call was not started, or its result was not sent.
                continue
            if isinstance(line, dict) and isinstance(line.get("key"), str):
                yield line

    def _ends_with_newline(self) -> bool:
        data = self._path.read_bytes()
        return not data or data.endswith(b"\n")

    def _shorten(self) -> None:
        """Keep the newest calls."""
        self._calls = dict(list(self._calls.items())[-CALLS_MAX:])
        newer_path = self._path.with_name(f"{self._path.name}.new")
        newer = newer_path.open("w", encoding="utf-8")
        _lock(newer)
        for key, result in self._calls.items():
            told = {} if result is None else {"content": result.content, "is_error": result.is_error}
            newer.write(json.dumps({"key": key, **told}, ensure_ascii=False) + "\n")
        newer.flush()
        os.fsync(newer.fileno())
        # In one step, so that a crash leaves the old file or the new one.
        newer_path.replace(self._path)
        self._file.close()
        self._file = newer


def _result_of(line: dict[str, Any]) -> CallResult | None:
    content = line.get("content")
    return CallResult(content, line.get("is_error") is True) if isinstance(content, str) else None


def _lock(file: IO[str]) -> None:
    try:
        import fcntl
    except ImportError:
        # Windows has no such lock; there the caller sees to it that one process has the file.
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
