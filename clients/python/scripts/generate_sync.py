"""Writes src/dwell/sync_methods.py; with --check, fails if it is outdated."""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "dwell"
TARGET = PACKAGE / "sync_methods.py"

#: The classes with async methods, by module.
CLASSES = {
    "turns": "TurnMethods",
    "sessions": "SessionMethods",
    "memory": "MemoryMethods",
    "client": "Dwell",
    "vaults": "Vaults",
    "values": "Values",
    "artifacts": "Artifacts",
    "library": "Library",
    "desktop": "Desktop",
    "home": "Home",
    "server": "Server",
    "schedules": "Schedules",
    "alerts": "Alerts",
}
#: Methods that `SyncClient` has in another form.
LEFT_OUT = {"worker", "close"}
BUILTIN = {"str", "int", "float", "bool", "bytes", "list", "dict", "None", "tuple"}

HEAD = '''"""The methods of the client without `await`.

Generated from the async methods by `python scripts/generate_sync.py`. Do not edit.
"""

from __future__ import annotations

{imports}
from .sync_loop import SyncArea, SyncTurnStream
'''


class Generator:
    """Collects classes, and the imports that their annotations need."""

    def __init__(self) -> None:
        """A generator without classes."""
        self.imports: dict[str, set[str]] = defaultdict(set)

    def run(self) -> str:
        """The whole file."""
        classes = [self.class_code(module, name) for module, name in CLASSES.items()]
        return "\n\n".join([HEAD.format(imports=self.import_code()), *classes])

    def class_code(self, module: str, name: str) -> str:
        """A class with the methods of an async one."""
        tree = ast.parse((PACKAGE / f"{module}.py").read_text(encoding="utf-8"))
        places = imported_names(tree, module)
        (found,) = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name]
        lines = [f'class Sync{name}(SyncArea):\n    """{ast.get_docstring(found)}"""\n\n    _async: {name}\n']
        self.need({name}, places)
        for node in found.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and is_method(node):
                lines.append(self.method_code(node, places))
        return "\n".join(lines)

    def method_code(self, node: ast.FunctionDef | ast.AsyncFunctionDef, places: dict[str, str]) -> str:
        """One method without `await`."""
        arguments = node.args
        plain = [*arguments.args[1:], *arguments.kwonlyargs]
        callbacks = {each.arg for each in plain if "Awaitable[" in ast.unparse(each.annotation or ast.Constant(None))}
        passed = [each.arg for each in arguments.args[1:]]
        passed += [f"{each.arg}={self_callback(each.arg, callbacks)}" for each in arguments.kwonlyargs]
        if arguments.kwarg is not None:
            passed.append(f"**{arguments.kwarg.arg}")
        call = f"self._async.{node.name}({', '.join(passed)})"
        answer = ast.unparse(node.returns) if node.returns is not None else "None"
        if answer == "TurnStream":
            answer, code = "SyncTurnStream", f"return SyncTurnStream(self._loop, {call})"
        elif answer.startswith("AsyncIterator["):
            answer, code = answer.removeprefix("Async"), f"return self._loop.iterate({call})"
        else:
            code = f"return self._loop.run({call})"
        for each in [*plain, *([arguments.kwarg] if arguments.kwarg else [])]:
            self.need(names_in(each.annotation), places)
        self.need(names_in(ast.parse(answer, mode="eval").body), places)
        for default in [*arguments.defaults, *arguments.kw_defaults]:
            self.need(names_in(default), places)
        head = f"    def {node.name}(\n{parameters(arguments)}    ) -> {answer}:\n"
        return f'{head}        """{ast.get_docstring(node, clean=False) or ""}"""\n        {code}\n'

    def need(self, names: set[str], places: dict[str, str]) -> None:
        """Import names from where the async module has them."""
        for name in names - BUILTIN - {"SyncTurnStream", "Awaitable"}:
            # The base class of async iterators has a sync one beside it.
            self.imports[places.get(name, "collections.abc" if name == "Iterator" else "")].add(name)

    def import_code(self) -> str:
        """The imports, in the order in which linters want them."""
        outer = sorted(
            (place for place in self.imports if not place.startswith(".")), key=lambda each: each != "import"
        )
        inner = sorted(place for place in self.imports if place.startswith("."))
        groups = [outer, inner]
        return "\n".join("".join(self.import_line(place) for place in group) for group in groups if group).rstrip("\n")

    def import_line(self, place: str) -> str:
        """One line of imports."""
        if place == ".types":
            return "from . import types as wire\n"
        if place == "import":
            return "".join(f"import {name}\n" for name in sorted(self.imports[place]))
        return f"from {place} import {', '.join(sorted(self.imports[place]))}\n"


def is_method(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function is a public method with a sync form."""
    if node.name.startswith("_") or node.name in LEFT_OUT:
        return False
    returns = ast.unparse(node.returns) if node.returns is not None else ""
    return isinstance(node, ast.AsyncFunctionDef) or returns == "TurnStream"


def self_callback(name: str, callbacks: set[str]) -> str:
    return f"self._loop.callback({name})" if name in callbacks else name


def parameters(arguments: ast.arguments) -> str:
    """The parameters, one a line; a callback need not be async."""
    lines = ["self"]
    missing = len(arguments.args) - len(arguments.defaults)
    defaults = [None] * missing + list(arguments.defaults)
    lines += [parameter(each, default) for each, default in zip(arguments.args[1:], defaults[1:], strict=True)]
    if arguments.kwonlyargs:
        lines.append("*")
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    lines += [parameter(each, default) for each, default in named]
    if arguments.kwarg is not None:
        lines.append(f"**{arguments.kwarg.arg}: {ast.unparse(arguments.kwarg.annotation or ast.Name('Any'))}")
    return "".join(f"        {line},\n" for line in lines)


def parameter(each: ast.arg, default: ast.expr | None) -> str:
    annotation = ast.unparse(each.annotation or ast.Name("Any"))
    if "Awaitable[" in annotation:
        annotation = annotation.replace("Awaitable[Decision]", "Decision")
    return f"{each.arg}: {annotation}" + ("" if default is None else f" = {ast.unparse(default)}")


def names_in(node: ast.expr | None) -> set[str]:
    return set() if node is None else {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def imported_names(tree: ast.Module, module: str) -> dict[str, str]:
    """Where each name of a module comes from."""
    places: dict[str, str] = {}
    for node in tree.body:
        match node:
            case ast.ImportFrom(module=source, level=level, names=names):
                for name in names:
                    place = "." * level + (source or "")
                    places[name.asname or name.name] = f".{name.name}" if place == "." else place
            case ast.Import(names=names):
                for name in names:
                    places[name.name] = "import"
            case ast.ClassDef(name=defined):
                places[defined] = f".{module}"
            case ast.Assign(targets=[ast.Name(id=defined)]):
                places[defined] = f".{module}"
    return places


def main() -> int:
    """Write the file, or compare it."""
    text = Generator().run()
    if "--check" not in sys.argv:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.exists() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write("src/dwell/sync_methods.py does not match the async methods: run scripts/generate_sync.py\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
