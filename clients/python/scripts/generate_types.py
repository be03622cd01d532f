"""Writes src/dwell/types.py from docs/openapi.json; with --check, fails if it is outdated."""

from __future__ import annotations

import json
import keyword
import re
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SOURCE = ROOT.parents[1] / "docs" / "openapi.json"
TARGET = ROOT / "src" / "dwell" / "types.py"
WIDTH = 100

HEAD = '''"""The types of the wire protocol, as the server sends and reads them: typed dictionaries.

Generated from docs/openapi.json by `python scripts/generate_types.py`. Do not edit. A newer server
may send fields and values that are not listed here: ignore what you do not know.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict
'''

#: Paths of Dwell's own API. Schemas that only the APIs of others need are left out.
OWN = ("/api/v1/", "/healthz", "/readyz")

PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}

Schema = Mapping[str, Any]


@dataclass
class Generator:
    """Collects classes and aliases; an object inside of another gets a class with a joined name."""

    schemas: Mapping[str, Schema]
    classes: dict[str, str] = field(default_factory=dict)
    #: The code of an alias, and the names that it needs at run time.
    aliases: dict[str, tuple[str, str]] = field(default_factory=dict)

    def run(self) -> str:
        """The whole file."""
        for name, schema in self.schemas.items():
            self.add(name, schema)
        blocks = [HEAD, *self.classes.values(), *self.sorted_aliases()]
        return "\n\n".join(block.rstrip("\n") + "\n" for block in blocks)

    def add(self, name: str, schema: Schema) -> None:
        """Add a schema with its name."""
        if name in self.classes or name in self.aliases:
            return
        if is_object(schema) and not arms_of(schema):
            self.add_class(name, schema, self.base_of(schema))
        else:
            self.aliases[name] = self.value(schema, name), comment(schema.get("description"), "")

    def add_class(self, name: str, schema: Schema, base: str) -> None:
        """Add an object as a class."""
        # Reserved here, so that an object that contains itself ends.
        self.classes[name] = ""
        required = set(schema.get("required", ()))
        fields: list[tuple[str, str, str | None]] = []
        for each, value in schema["properties"].items():
            text = self.value(value, name + pascal(each))
            kind = text if each in required else f"NotRequired[{text}]"
            fields.append((each, kind, value.get("description") if isinstance(value, Mapping) else None))
        said = schema.get("description") or f"One form of `{name}`."
        is_plain = all(each.isidentifier() and not keyword.iskeyword(each) for each, _, _ in fields)
        code = class_code(name, base, said, fields) if is_plain else call_code(name, said, fields)
        # A class follows the classes that it is derived from.
        del self.classes[name]
        self.classes[name] = code

    def base_of(self, schema: Schema) -> str:
        """The class that a form is derived from."""
        if "$ref" not in schema:
            return "TypedDict"
        base = name_of(schema)
        self.add(base, self.schemas[base])
        return base

    def value(self, schema: Any, name: str) -> str:
        """The type of a schema as an expression."""
        if not isinstance(schema, Mapping):
            return "Any"
        if arms := arms_of(schema):
            return self.union(schema, arms, name)
        if is_object(schema):
            self.add_class(name, schema, self.base_of(schema))
            return name
        if "$ref" in schema:
            return name_of(schema)
        if "const" in schema:
            return f"Literal[{schema['const']!r}]".replace("'", '"')
        if "enum" in schema:
            return join(f"Literal[{json.dumps(each)}]" for each in schema["enum"])
        kinds = schema.get("type")
        if isinstance(kinds, list):
            return join(self.value({**schema, "type": kind}, name) for kind in kinds)
        if kinds == "array":
            return f"list[{self.value(schema.get('items'), name + 'Item')}]"
        if kinds == "object":
            # Keys that have to match a pattern are texts as well.
            patterns = list(schema.get("patternProperties", {}).values())
            extra = patterns[0] if patterns else schema.get("additionalProperties", True)
            return f"dict[str, {self.value(extra, name + 'Value')}]"
        return PLAIN.get(str(kinds), "Any")

    def union(self, schema: Schema, arms: list[Any], name: str) -> str:
        """One of several forms; fields next to the forms belong to each of them."""
        shared = "TypedDict"
        if "properties" in schema:
            shared = f"{name}Base"
            plain = {key: value for key, value in schema.items() if key not in ("oneOf", "anyOf")}
            self.add(shared, plain)
        found = []
        for number, arm in enumerate(arms):
            if isinstance(arm, Mapping) and is_object(arm):
                each = self.free_name(name + suffix(arm, number))
                base = self.base_of(arm) if "$ref" in arm else shared
                self.add_class(each, arm, base)
                found.append(each)
            else:
                found.append(self.value(arm, name + suffix(arm, number)))
        return join(found)

    def free_name(self, name: str) -> str:
        """A name that is neither that of a schema nor that of another form."""
        while name in self.schemas or name in self.classes:
            name += "Form"
        return name

    def sorted_aliases(self) -> list[str]:
        """Aliases after those that they need: they are evaluated, which annotations are not."""
        done: dict[str, str] = {}

        def visit(name: str) -> None:
            if name in done:
                return
            value, said = self.aliases[name]
            for other in re.findall(r"[A-Za-z_]\w*", value):
                if other in self.aliases and other != name:
                    visit(other)
            done[name] = f"{said}{name}: TypeAlias = {value}\n"

        for name in self.aliases:
            visit(name)
        return list(done.values())


def class_code(name: str, base: str, said: str, fields: list[tuple[str, str, str | None]]) -> str:
    """A typed dictionary as a class."""
    lines = [f"{comment(about, '    ')}    {each}: {kind}\n" for each, kind, about in fields]
    return f"class {name}({base}):\n{docstring(said)}\n" + "".join(lines)


def call_code(name: str, said: str, fields: list[tuple[str, str, str | None]]) -> str:
    """A typed dictionary with a field whose name is a word of the language."""
    quoted = {kind: f"'{kind}'" if '"' in kind else f'"{kind}"' for _, kind, _ in fields}
    lines = [f'{comment(about, "        ")}        "{each}": {quoted[kind]},\n' for each, kind, about in fields]
    return f'{comment(said, "")}{name} = TypedDict(\n    "{name}",\n    {{\n{"".join(lines)}    }},\n)\n'


def own_schemas(document: Mapping[str, Any]) -> dict[str, Schema]:
    """The schemas of Dwell's own API, and those of its messages, which no path names."""
    schemas = document["components"]["schemas"]
    own: set[str] = set()
    foreign: set[str] = set()
    for path, routes in document["paths"].items():
        collect(routes, schemas, own if path.startswith(OWN) else foreign)
    return {name: schema for name, schema in schemas.items() if name in own or name not in foreign}


def collect(value: Any, schemas: Mapping[str, Schema], found: set[str]) -> None:
    """Add the names of all schemas that a value refers to."""
    if isinstance(value, list):
        for each in value:
            collect(each, schemas, found)
    elif isinstance(value, Mapping):
        name = name_of(value) if isinstance(value.get("$ref"), str) else None
        if name is not None and name not in found:
            found.add(name)
            collect(schemas[name], schemas, found)
        for each in value.values():
            collect(each, schemas, found)


def is_object(schema: Schema) -> bool:
    return bool(schema.get("properties"))


def arms_of(schema: Schema) -> list[Any]:
    return list(schema.get("oneOf") or schema.get("anyOf") or [])


def name_of(schema: Schema) -> str:
    return str(schema["$ref"]).rsplit("/", 1)[-1]


def join(kinds: Any) -> str:
    """A union without repetition; its strings are one `Literal`."""
    distinct = list(dict.fromkeys(kinds))
    literals = [each[len("Literal[") : -1] for each in distinct if each.startswith("Literal[")]
    others = [each for each in distinct if not each.startswith("Literal[")]
    if literals:
        others.insert(0, f"Literal[{', '.join(literals)}]")
    # None comes last, as people write it.
    return " | ".join(sorted(others, key=lambda each: each == "None")) or "Any"


def suffix(arm: Any, number: int) -> str:
    """The name of a form: the constant that tells it apart, or its only field."""
    properties = arm.get("properties", {}) if isinstance(arm, Mapping) else {}
    for value in properties.values():
        if isinstance(value, Mapping) and "const" in value:
            return pascal(str(value["const"]))
    required = arm.get("required", []) if isinstance(arm, Mapping) else []
    return pascal(required[0]) if len(required) == 1 else str(number + 1)


def pascal(text: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", text))


def comment(text: str | None, indent: str) -> str:
    if not text:
        return ""
    width = WIDTH - len(indent) - 3
    return "".join(f"{indent}#: {line}\n" for line in textwrap.wrap(" ".join(text.split()), width))


def docstring(text: str) -> str:
    words = " ".join(text.split()).replace("\\", "\\\\")
    if len(words) <= WIDTH - 10:
        return f'    """{words}"""\n'
    lines = textwrap.wrap(words, WIDTH - 7)
    return '    """' + "\n    ".join(lines) + '\n    """\n'


def main() -> int:
    """Write the file, or compare it."""
    text = Generator(own_schemas(json.loads(SOURCE.read_text(encoding="utf-8")))).run()
    if "--check" not in sys.argv:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.exists() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write("src/dwell/types.py does not match docs/openapi.json: run scripts/generate_types.py\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
