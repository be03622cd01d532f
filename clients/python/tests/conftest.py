"""Test fixtures: a scripted model, a server that uses it, and clients."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

import dwell

from .program import TOKEN, Program
from .scripted_model import ScriptedModel

#: Short retry delays, since the tests cut many connections.
FAST_RETRY = dwell.Patience(retry_min=0.01, retry_max=0.2, give_up=30.0)


def model_environment(model: ScriptedModel) -> dict[str, str]:
    """Settings that make a server use the scripted model."""
    return {
        "OPENAI_API_KEY": "sk-test",
        "OPENAI_BASE_URL": model.url,
        "DWELL_MODEL": "openai/test",
        "DWELL_MEMORY_FOLLOW_SESSIONS": "false",
    }


@pytest.fixture(scope="session")
def offline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """A server with the offline model, shared by tests that do not disturb each other."""
    program = Program(tmp_path_factory.mktemp("offline"))
    program.start()
    yield program
    program.kill()


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """A model for one test."""
    model = ScriptedModel()
    yield model
    model.stop()


@pytest.fixture
def scripted(tmp_path: Path, model: ScriptedModel) -> Iterator[Program]:
    """A server for one test, which uses its model."""
    program = Program(tmp_path / "server", model_environment(model))
    program.start()
    yield program
    program.kill()


@pytest.fixture
async def client(offline: Program) -> AsyncIterator[dwell.Dwell]:
    """A client of the shared server."""
    async with dwell.connect(offline.url, TOKEN, patience=FAST_RETRY) as client:
        yield client


@pytest.fixture
def connect(scripted: Program) -> Callable[[], dwell.Dwell]:
    """Clients of the server for one test."""
    return lambda: dwell.connect(scripted.url, TOKEN, patience=FAST_RETRY)
