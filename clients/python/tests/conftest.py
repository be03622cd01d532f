"""What the tests share: a model that follows a script, a server that uses it, and clients of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

import dwell

from .program import TOKEN, Program
from .scripted_model import ScriptedModel

#: Quick to come back: the tests cut many connections.
EAGER = dwell.Patience(retry_min=0.01, retry_max=0.2, give_up=30.0)


def model_environment(model: ScriptedModel) -> dict[str, str]:
    """Settings by which a server asks the scripted model."""
    return {
        "OPENAI_API_KEY": "sk-test",
        "OPENAI_BASE_URL": model.url,
        "DWELL_MODEL": "openai/test",
        "DWELL_MEMORY_FOLLOW_SESSIONS": "false",
    }


@pytest.fixture(scope="session")
def offline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """A server with the offline model, for all tests that do not disturb others."""
    program = Program(tmp_path_factory.mktemp("offline"))
    program.start()
    yield program
    program.kill()


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """A model of the test's own."""
    model = ScriptedModel()
    yield model
    model.stop()


@pytest.fixture
def scripted(tmp_path: Path, model: ScriptedModel) -> Iterator[Program]:
    """A server of the test's own, answering by its model."""
    program = Program(tmp_path / "server", model_environment(model))
    program.start()
    yield program
    program.kill()


@pytest.fixture
async def client(offline: Program) -> AsyncIterator[dwell.Dwell]:
    """A client of the shared server."""
    async with dwell.connect(offline.url, TOKEN, patience=EAGER) as client:
        yield client


@pytest.fixture
def connect(scripted: Program) -> Callable[[], dwell.Dwell]:
    """Clients of the test's own server."""
    return lambda: dwell.connect(scripted.url, TOKEN, patience=EAGER)
