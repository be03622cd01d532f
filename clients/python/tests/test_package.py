"""The package as a user installs it: built, installed from its archive, and used."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import websockets

from .program import TOKEN, Program

ROOT = Path(__file__).parents[1]

CONVERSATION = """
import os
import dwell

assert "site-packages" in dwell.__file__, dwell.__file__


@dwell.tool
def add(a: int, b: int) -> int:
    "Add two numbers."
    return a + b


with dwell.SyncClient(os.environ["DWELL_URL"], os.environ["DWELL_TOKEN"]) as client:
    print(client.chat("What is 2 + 3?", session="package", tools=[add]).message)
"""


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("build") is None or importlib.util.find_spec("hatchling") is None:
        pytest.skip("build and hatchling are not installed: pip install -e '.[dev]'")
    folder = tmp_path_factory.mktemp("dist")
    # Without isolation, so that nothing is fetched.
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def test_the_archives_hold_what_is_needed(archives: Path) -> None:
    (wheel,) = archives.glob("*.whl")
    (source,) = archives.glob("*.tar.gz")
    names = set(zipfile.ZipFile(wheel).namelist())
    modules = {
        str(path.relative_to(ROOT / "src"))
        for path in (ROOT / "src" / "dwell").rglob("*")
        if path.suffix == ".py" or path.name == "py.typed"
    }
    assert modules <= names
    with tarfile.open(source) as packed:
        files = {name.split("/", 1)[-1] for name in packed.getnames()}
    assert {"pyproject.toml", "README.md", "src/dwell/__init__.py", "src/dwell/tools/worker.py"} <= files


def test_the_wheel_is_installed_and_holds_a_conversation(archives: Path, offline: Program, tmp_path: Path) -> None:
    (wheel,) = archives.glob("*.whl")
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    installed = subprocess.run([*install, str(wheel)], capture_output=True, text=True)
    assert installed.returncode == 0, installed.stderr
    # Its one dependency is that of the tests, so that nothing is fetched.
    (packages,) = (tmp_path / "venv" / "lib").glob("python*/site-packages")
    (packages / "websockets").symlink_to(Path(websockets.__file__).parent)
    environment = {"PATH": os.environ["PATH"], "DWELL_URL": offline.url, "DWELL_TOKEN": TOKEN}
    ran = subprocess.run(
        [str(python), "-c", CONVERSATION], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert (ran.stdout, ran.stderr, ran.returncode) == ("2 + 3 is 5.\n", "", 0)
