"""What the server offers, from its generated documents; and what the client's source sends."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
SOURCE = Path(__file__).parents[1] / "src" / "dwell"
GENERATED = frozenset({"types.py", "sync_methods.py"})

_MESSAGE = re.compile(r"^### `([^`]+)`$", re.MULTILINE)
_FIELD = re.compile(r"^\| `(\w+)`", re.MULTILINE)


def messages() -> dict[str, set[str]]:
    """The messages of a client, with the names of their fields."""
    text = (ROOT / "docs" / "reference" / "wire.md").read_text(encoding="utf-8")
    section = text.split("## Messages from the client", 1)[1].split("\n## ", 1)[0]
    _, *parts = _MESSAGE.split(section)
    return {name: set(_FIELD.findall(body)) for name, body in zip(parts[::2], parts[1::2], strict=True)}


def routes() -> dict[tuple[str, str], set[str]]:
    """The routes, with the names of their parameters and of the fields of their bodies."""
    document = json.loads((ROOT / "docs" / "openapi.json").read_text(encoding="utf-8"))
    schemas = document["components"]["schemas"]
    found = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            fields = {each["name"] for each in operation.get("parameters", [])}
            for content in operation.get("requestBody", {}).get("content", {}).values():
                fields |= set(_resolved(content["schema"], schemas).get("properties", {}))
            found[method.upper(), path] = fields
    return found


def _resolved(schema: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(schema, dict):
        return {}
    reference = schema.get("$ref")
    return schemas[reference.rsplit("/", 1)[-1]] if reference else schema


@dataclass(frozen=True)
class Sent:
    """What the source sends, each with the parameters of the methods that send it."""

    messages: dict[str, set[str]]
    routes: dict[tuple[str, str], set[str]]


def sent() -> Sent:
    """Read the client's source."""
    found = Sent({}, {})
    for path in sorted(SOURCE.rglob("*.py")):
        if path.name not in GENERATED:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for function in ast.walk(tree):
                if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    _collect(function, found)
    return found


def _collect(function: ast.FunctionDef | ast.AsyncFunctionDef, found: Sent) -> None:
    arguments = function.args
    parameters = {each.arg for each in [*arguments.args, *arguments.kwonlyargs]}
    if arguments.kwarg is not None:
        parameters |= _chat_options()
    for call in ast.walk(function):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        texts = [each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        if call.func.attr in ("request", "_get", "_follow", "_send") and texts:
            found.messages.setdefault(texts[0], set()).update(parameters)
        elif call.func.attr in ("ask", "send") and len(texts) == 2:
            method, route = texts
            found.routes.setdefault((method, route), set()).update(parameters)


def _chat_options() -> set[str]:
    from dwell import ChatOptions

    return set(ChatOptions.__annotations__)
