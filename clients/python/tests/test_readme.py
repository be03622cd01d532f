"""The examples in the README print what they claim."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .program import TOKEN, Program

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL)


def test_every_example_is_tested() -> None:
    assert len(EXAMPLES) == README.count("```python\n") > 0


@pytest.mark.parametrize(("code", "printed"), EXAMPLES)
def test_an_example_prints_what_it_says(offline: Program, code: str, printed: str) -> None:
    environment = {**os.environ, "DWELL_URL": offline.url, "DWELL_TOKEN": TOKEN}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)
    assert (ran.stdout, ran.stderr) == (printed, "")
