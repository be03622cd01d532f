"""The real server with its own data folder, which can be killed and restarted."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import pytest

TOKEN = "test-token-0123456789"  # noqa: S105
PATIENCE_S = 30.0


def binary() -> str:
    """The path of the program to test."""
    path = os.environ.get("DWELL_BIN")
    if not path or not Path(path).is_file():
        pytest.skip("DWELL_BIN does not name a built dwell: run ./test, or set it")
    return str(Path(path).resolve())


class Program:
    """A server that can be killed and restarted at the same address."""

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._environment = {
            "HOME": str(folder),
            "DWELL_TOKEN": TOKEN,
            "DWELL_HOME_ENABLED": "false",
            **(environment or {}),
        }
        self._port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def port(self) -> int:
        return self._port

    def start(self) -> None:
        printed = self.folder / "printed"
        with printed.open("wb") as out, (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [binary(), "serve", "--data", str(self.folder / "data"), "--listen", f"127.0.0.1:{self._port}"],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=log,
                env=self._environment,
            )
        deadline = time.monotonic() + PATIENCE_S
        while b"listening on" not in printed.read_bytes():
            assert self._process.poll() is None, f"the server ended: {(self.folder / 'log').read_text()}"
            assert time.monotonic() < deadline, "the server is slow to start"
            time.sleep(0.01)

    def set_token(self, token: str) -> None:
        """Set the token, from the next start on."""
        self._environment["DWELL_TOKEN"] = token

    def kill(self) -> None:
        """Kill the process, as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


async def until(check: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something outside of this process is true."""
    async with asyncio.timeout(PATIENCE_S):
        while not await check():  # noqa: ASYNC110 (nothing here could set an event)
            await asyncio.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
