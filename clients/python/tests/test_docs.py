"""The Python blocks of the documentation run against a server, one for each page.

A block marked ``python,norun`` is only compiled. A block that imports a package which is not
installed is skipped, with a message.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from .program import TOKEN, Program

ROOT = Path(__file__).parents[3]
BLOCK = re.compile(r"^```python(?P<mark>,norun)?\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)
TIMEOUT_S = 60


@dataclass(frozen=True)
class Block:
    """A code block of a page."""

    line: int
    code: str
    runs: bool


def blocks(page: Path) -> list[Block]:
    """The Python blocks of a page."""
    text = page.read_text(encoding="utf-8")
    found = BLOCK.finditer(text)
    return [Block(text.count("\n", 0, match.start()) + 2, match["code"], match["mark"] is None) for match in found]


PAGES = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if blocks(page)]


def packages(code: str) -> set[str]:
    """The packages that a block imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names.update(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names.add(node.module)
    return {name.split(".")[0] for name in names} - set(sys.stdlib_module_names)


def interpreter(code: str) -> str | None:
    """A Python that has what a block imports: that of the tests, or the one with the SDKs of others."""
    pythons = [sys.executable]
    if "DWELL_SDK" in os.environ:
        pythons.append(str(Path(os.environ["DWELL_SDK"]) / "venv" / "bin" / "python"))
    imports = "".join(f"import {name}\n" for name in packages(code))
    for python in pythons:
        if Path(python).exists() and subprocess.run([python, "-c", imports], capture_output=True).returncode == 0:
            return python
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page(page: Path, tmp_path: Path) -> None:
    found = blocks(page)
    for block in found:
        compile(block.code, f"{page.relative_to(ROOT)}:{block.line}", "exec")
    runnable = [(block, interpreter(block.code)) for block in found if block.runs]
    missing = [packages(block.code) for block, python in runnable if python is None]
    program = Program(tmp_path, {"DWELL_HOME_ENABLED": "true"})
    environment = {**os.environ, "DWELL_URL": program.url, "DWELL_TOKEN": TOKEN}
    if any(python is not None for _, python in runnable):
        program.start()
    try:
        for block, python in runnable:
            if python is not None:
                command = [python, "-c", block.code]
                ran = subprocess.run(
                    command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT_S
                )
                assert ran.returncode == 0, f"{page.relative_to(ROOT)}:{block.line}: {ran.stdout}{ran.stderr}"
    finally:
        program.kill()
    if missing:
        pytest.skip(f"not installed: {', '.join(sorted(set().union(*missing)))}")
