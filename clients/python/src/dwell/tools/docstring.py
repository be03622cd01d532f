"""What a docstring says about a function, in Google's, NumPy's or Sphinx's style."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

_SECTION = re.compile(
    r"^(args|arguments|parameters|params|returns?|yields?|raises|examples?|notes?|attributes)\s*:?\s*$", re.IGNORECASE
)
_PARAMETERS = frozenset({"args", "arguments", "parameters", "params"})
_GOOGLE = re.compile(r"^\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
_NUMPY = re.compile(r"^(\w+)\s*(?::.*)?$")
_SPHINX = re.compile(r"^:param(?:\s+[^:\s]+)?\s+(\w+)\s*:\s*(.*)$")


def read_docstring(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """The description of a function, and those of its parameters by name."""
    lines = (inspect.getdoc(function) or "").splitlines()
    description: list[str] = []
    parameters: dict[str, str] = {}
    number = 0
    while number < len(lines):
        line = lines[number]
        section = _SECTION.match(line)
        sphinx = _SPHINX.match(line)
        if section:
            block, number = _block(lines, number + 1)
            if section[1].lower() in _PARAMETERS:
                parameters.update(_parameters(block))
            continue
        number += 1
        if sphinx:
            block, number = _block(lines, number, indented_only=True)
            parameters[sphinx[1]] = _join([sphinx[2], *block])
        elif not line.startswith(":"):
            description.append(line)
    return "\n".join(description).strip(), parameters


def _block(lines: list[str], start: int, *, indented_only: bool = False) -> tuple[list[str], int]:
    """The lines of a section, and where it ends."""
    is_numpy = not indented_only and start < len(lines) and set(lines[start].strip()) == {"-"}
    number = start + 1 if is_numpy else start
    found: list[str] = []
    while number < len(lines):
        line = lines[number]
        is_end = _SECTION.match(line) if is_numpy else bool(line.strip()) and not line.startswith(" ")
        if is_end:
            break
        found.append(line)
        number += 1
    return found, number


def _parameters(block: list[str]) -> dict[str, str]:
    texts: dict[str, list[str]] = {}
    indent = min((len(line) - len(line.lstrip()) for line in block if line.strip()), default=0)
    name = None
    for line in block:
        if not line.strip():
            continue
        is_head = not line[indent:].startswith(" ")
        google, numpy = _GOOGLE.match(line.strip()), _NUMPY.match(line.strip())
        if is_head and indent > 0 and google:
            name = google[1]
            texts[name] = [google[2]]
        elif is_head and indent == 0 and numpy:
            name = numpy[1]
            texts[name] = []
        elif name is not None:
            texts[name].append(line)
    return {each: _join(lines) for each, lines in texts.items()}


def _join(lines: list[str]) -> str:
    return " ".join(line.strip() for line in lines if line.strip())
