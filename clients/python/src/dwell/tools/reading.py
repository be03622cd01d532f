"""Reads JSON values as Python types, and writes Python values as JSON."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
import types
import typing
import uuid
from collections.abc import Mapping, Set
from typing import Any, Literal, Union

from .schema import LISTS, OBJECTS, SETS, fields_of, is_pydantic, unwrap

_NAMES: Mapping[type[Any], str] = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    list: "an array",
    dict: "an object",
    types.NoneType: "null",
}


class BadValue(ValueError):
    """A value does not have its type; the message says where and why."""


def read(hint: Any, value: Any, where: str = "the value") -> Any:
    """Convert a JSON value into a type; raises `BadValue` if it does not fit."""
    hint, _ = unwrap(hint)
    if hint in (Any, object):
        return value
    if hint is None or hint is types.NoneType:
        return _expect(value is None, value, "null", where, None)
    origin, arguments = typing.get_origin(hint) or hint, typing.get_args(hint)
    if origin in (Union, types.UnionType):
        return _read_union(arguments, value, where)
    if origin is Literal:
        return _one_of(list(arguments), value, where)
    if origin in LISTS or origin in SETS or origin is tuple:
        return _read_items(origin, arguments, value, where)
    if origin in OBJECTS:
        _expect(isinstance(value, Mapping), value, "an object", where)
        inner = arguments[1] if arguments else Any
        return {str(key): read(inner, each, f"{where}.{key}") for key, each in value.items()}
    return _read_class(origin, value, where)


def _read_class(cls: type[Any], value: Any, where: str) -> Any:
    if cls is str:
        return _expect(isinstance(value, str), value, "a string", where)
    if cls is bool:
        return _expect(isinstance(value, bool), value, "a boolean", where)
    if cls is int:
        is_whole = isinstance(value, float) and value.is_integer()
        _expect((isinstance(value, int) and not isinstance(value, bool)) or is_whole, value, "an integer", where)
        return int(value)
    if cls is float:
        _expect(isinstance(value, (int, float)) and not isinstance(value, bool), value, "a number", where)
        return float(value)
    if cls in (datetime.datetime, datetime.date, uuid.UUID):
        return _read_text(cls, value, where)
    if issubclass(cls, enum.Enum):
        return cls(_one_of([member.value for member in cls], value, where))
    if is_pydantic(cls):
        return _read_model(cls, value, where)
    return _read_fields(cls, value, where)


def _read_text(cls: type[Any], value: Any, where: str) -> Any:
    _expect(isinstance(value, str), value, "a string", where)
    try:
        return uuid.UUID(value) if cls is uuid.UUID else cls.fromisoformat(value)
    except ValueError as error:
        raise BadValue(f"{where}: {error}") from error


def _read_model(cls: Any, value: Any, where: str) -> Any:
    try:
        return cls.model_validate(value)
    except ValueError as error:
        raise BadValue(f"{where}: {error}") from error


def _read_fields(cls: type[Any], value: Any, where: str) -> Any:
    _expect(isinstance(value, Mapping), value, "an object", where)
    fields = fields_of(cls)
    known = {name: read(field.hint, value[name], f"{where}.{name}") for name, field in fields.items() if name in value}
    missing = [name for name, field in fields.items() if field.is_required and name not in known]
    if missing:
        raise BadValue(f"{where} lacks {', '.join(missing)}")
    unknown = sorted(set(value) - set(fields))
    if unknown:
        raise BadValue(f"{where} has unknown fields: {', '.join(unknown)}; known are {', '.join(fields)}")
    return known if typing.is_typeddict(cls) else cls(**known)


def _read_union(arms: tuple[Any, ...], value: Any, where: str) -> Any:
    failures = []
    # The same type comes before one that merely accepts it, as a number accepts an integer.
    for arm in sorted(arms, key=lambda arm: unwrap(arm)[0] is not type(value)):
        try:
            return read(arm, value, where)
        except BadValue as error:
            failures.append(str(error))
    raise BadValue("; or ".join(dict.fromkeys(failures)))


def _read_items(origin: Any, arguments: tuple[Any, ...], value: Any, where: str) -> Any:
    _expect(isinstance(value, list), value, "an array", where)
    if origin is tuple and arguments and arguments[-1] is not Ellipsis:
        _expect(len(value) == len(arguments), value, f"an array of {len(arguments)} items", where)
        pairs = zip(arguments, value, strict=True)
        return tuple(read(each, item, f"{where}[{number}]") for number, (each, item) in enumerate(pairs))
    inner = arguments[0] if arguments else Any
    items = [read(inner, item, f"{where}[{number}]") for number, item in enumerate(value)]
    if origin is tuple:
        return tuple(items)
    if origin in SETS:
        return frozenset(items) if origin is frozenset else set(items)
    return items


def _one_of(choices: list[Any], value: Any, where: str) -> Any:
    # True == 1, but a boolean is no number.
    found = [each for each in choices if each == value and type(each) is type(value)]
    if not found:
        raise BadValue(f"{where} should be one of {', '.join(json.dumps(each) for each in choices)}, not {value!r}")
    return found[0]


def _expect(fits: bool, value: Any, expected: str, where: str, *result: Any) -> Any:
    if not fits:
        raise BadValue(f"{where} should be {expected}, not {_NAMES.get(type(value), type(value).__name__)}")
    return result[0] if result else value


def to_text(value: Any) -> str:
    """A result as the model reads it: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        # Not `asdict`, which copies deeply and meets models inside of dataclasses.
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if is_pydantic(type(value)):
        return value.model_dump(mode="json")
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    if isinstance(value, Set):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)
