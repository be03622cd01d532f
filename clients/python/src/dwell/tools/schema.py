"""JSON Schemas of Python types, for the arguments of functions and for answers."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import types
import typing
import uuid
from collections.abc import Iterable, Mapping, MutableMapping, MutableSequence, Sequence, Set
from typing import Any, Literal, NotRequired, Required, TypeVar, Union

JsonSchema = dict[str, Any]

_PLAIN: Mapping[Any, JsonSchema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    types.NoneType: {"type": "null"},
    datetime.datetime: {"type": "string", "format": "date-time"},
    datetime.date: {"type": "string", "format": "date"},
    uuid.UUID: {"type": "string", "format": "uuid"},
}
LISTS: frozenset[Any] = frozenset({list, Sequence, MutableSequence, Iterable})
SETS: frozenset[Any] = frozenset({set, frozenset, Set})
OBJECTS: frozenset[Any] = frozenset({dict, Mapping, MutableMapping})


def schema_of(hint: Any) -> JsonSchema:
    """The JSON Schema of a type; raises `TypeError` for a type that JSON cannot express."""
    builder = SchemaBuilder()
    return builder.finish(builder.build(hint))


class SchemaBuilder:
    """Builds the schemas of several types that share definitions."""

    def __init__(self) -> None:
        """A builder without definitions."""
        self._definitions: dict[str, JsonSchema] = {}
        self._open: list[Any] = []
        self._recursive: set[Any] = set()

    def finish(self, schema: JsonSchema) -> JsonSchema:
        """A whole schema, with the definitions that it refers to."""
        return {**schema, "$defs": self._definitions} if self._definitions else schema

    def build(self, hint: Any) -> JsonSchema:
        """The schema of one type."""
        hint, description = unwrap(hint)
        schema = self._build(hint)
        return {**schema, "description": description} if description else schema

    def _build(self, hint: Any) -> JsonSchema:
        if hint in (Any, object):
            return {}
        if hint is None:
            return {"type": "null"}
        if _is_hashable(hint) and hint in _PLAIN:
            return dict(_PLAIN[hint])
        origin, arguments = typing.get_origin(hint) or hint, typing.get_args(hint)
        if origin in (Union, types.UnionType):
            return {"anyOf": [self.build(each) for each in arguments]}
        if origin is Literal:
            return _choices(list(arguments))
        if origin in LISTS:
            return {"type": "array", "items": self.build(arguments[0] if arguments else Any)}
        if origin in SETS:
            return {"type": "array", "items": self.build(arguments[0] if arguments else Any), "uniqueItems": True}
        if origin is tuple:
            return self._tuple(arguments)
        if origin in OBJECTS:
            return self._mapping(hint, arguments)
        if isinstance(origin, type):
            return self._class(origin)
        raise TypeError(f"{hint!r} has no JSON Schema: use a type that JSON can express, or Any")

    def _tuple(self, arguments: tuple[Any, ...]) -> JsonSchema:
        if not arguments or (len(arguments) == 2 and arguments[1] is Ellipsis):
            return {"type": "array", "items": self.build(arguments[0] if arguments else Any)}
        items = [self.build(each) for each in arguments]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}

    def _mapping(self, hint: Any, arguments: tuple[Any, ...]) -> JsonSchema:
        if arguments and unwrap(arguments[0])[0] not in (str, Any):
            raise TypeError(f"{hint!r} has no JSON Schema: the keys of an object are strings")
        return {"type": "object", "additionalProperties": self.build(arguments[1]) if arguments else True}

    def _class(self, cls: type[Any]) -> JsonSchema:
        if issubclass(cls, enum.Enum):
            return _choices([member.value for member in cls])
        if is_pydantic(cls):
            schema: JsonSchema = cls.model_json_schema()
            self._definitions.update(schema.pop("$defs", {}))
            return schema
        if not (dataclasses.is_dataclass(cls) or typing.is_typeddict(cls)):
            raise TypeError(
                f"{cls.__name__} has no JSON Schema: use a dataclass, a TypedDict, a pydantic model or a plain type"
            )
        if cls in self._open:
            # It contains itself: a name stands for it.
            self._recursive.add(cls)
            return {"$ref": f"#/$defs/{cls.__name__}"}
        self._open.append(cls)
        schema = self._fields(cls)
        self._open.pop()
        if cls not in self._recursive:
            return schema
        self._definitions[cls.__name__] = schema
        return {"$ref": f"#/$defs/{cls.__name__}"}

    def _fields(self, cls: type[Any]) -> JsonSchema:
        properties: dict[str, JsonSchema] = {}
        required: list[str] = []
        for name, field in fields_of(cls).items():
            schema = self.build(field.hint)
            properties[name] = {**schema, "default": field.default} if field.has_plain_default else schema
            if field.is_required:
                required.append(name)
        schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
        text = (cls.__doc__ or "").strip()
        # A dataclass without a docstring has its signature as one.
        return schema if not text or text.startswith(f"{cls.__name__}(") else {**schema, "description": text}


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """A field of a dataclass or a TypedDict."""

    hint: Any
    is_required: bool
    default: Any = None

    @property
    def has_plain_default(self) -> bool:
        """Whether the default can be stated in a schema."""
        return not self.is_required and isinstance(self.default, (str, int, float, bool))


def fields_of(cls: type[Any]) -> dict[str, Field]:
    """The fields of a dataclass or a TypedDict, with their types resolved."""
    hints = typing.get_type_hints(cls, include_extras=True)
    if typing.is_typeddict(cls):
        required = _required_keys(cls, hints)
        return {name: Field(hint, name in required) for name, hint in hints.items()}
    found = {}
    for field in dataclasses.fields(cls):
        if field.init:
            is_required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            default = None if field.default is dataclasses.MISSING else field.default
            found[field.name] = Field(hints[field.name], is_required, default)
    return found


def _required_keys(cls: Any, hints: Mapping[str, Any]) -> set[str]:
    """The keys that a TypedDict must have.

    Where annotations are strings, `__required_keys__` knows `total` only; the resolved hints know
    the rest.
    """
    required = set(cls.__required_keys__)
    for name, hint in hints.items():
        plain = typing.get_args(hint)[0] if typing.get_origin(hint) is typing.Annotated else hint
        if typing.get_origin(plain) is Required:
            required.add(name)
        elif typing.get_origin(plain) is NotRequired:
            required.discard(name)
    return required


def unwrap(hint: Any) -> tuple[Any, str | None]:
    """A type without `Annotated` and other wrappers, and what they say about it."""
    description: str | None = None
    while True:
        origin = typing.get_origin(hint)
        if origin is typing.Annotated:
            hint, *extras = typing.get_args(hint)
            description = description or next((text for text in map(_said, extras) if text), None)
        elif origin in (Required, NotRequired):
            (hint,) = typing.get_args(hint)
        elif isinstance(hint, typing.NewType):
            hint = hint.__supertype__
        elif isinstance(hint, TypeVar):
            hint = hint.__bound__ or Any
        elif type(hint).__name__ == "TypeAliasType":
            hint = hint.__value__
        else:
            return hint, description


def is_pydantic(cls: Any) -> bool:
    """Whether a class is a model of pydantic, which need not be installed."""
    return isinstance(cls, type) and hasattr(cls, "model_json_schema") and hasattr(cls, "model_validate")


def _said(extra: Any) -> str | None:
    text = extra if isinstance(extra, str) else getattr(extra, "description", None)
    return text if isinstance(text, str) else None


def _choices(values: list[Any]) -> JsonSchema:
    kinds = {type(value) for value in values}
    kind = _PLAIN.get(next(iter(kinds))) if len(kinds) == 1 else None
    return {**(kind or {}), "enum": values}


def _is_hashable(hint: Any) -> bool:
    try:
        hash(hint)
    except TypeError:
        return False
    return True
