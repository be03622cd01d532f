"""Decodes JSON into dataclasses: unknown fields are ignored, missing ones take their default."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Hashable, Mapping
from typing import Any, TypeVar, Union, cast

T = TypeVar("T")


class DecodeError(ValueError):
    """A required field is missing, or a value has the wrong type."""


def decode(cls: type[T], value: Any) -> T:
    """Decode a JSON object into a dataclass."""
    if not isinstance(value, Mapping):
        raise DecodeError(f"{cls.__name__} should be an object, not {type(value).__name__}")
    known = {name: _read(hint, value[name]) for name, hint in _hints(cast(Hashable, cls)).items() if name in value}
    try:
        return cls(**known)
    except TypeError as error:
        raise DecodeError(f"{cls.__name__} lacks a field: {error}") from error


@functools.cache
def _hints(cls: Any) -> dict[str, Any]:
    hints = typing.get_type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


def _read(hint: Any, value: Any) -> Any:
    origin = typing.get_origin(hint)
    if origin in (Union, types.UnionType):
        return None if value is None else _read(_inner_type(hint), value)
    if origin is list:
        (item,) = typing.get_args(hint)
        return [_read(item, each) for each in value] if isinstance(value, list) else []
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return decode(hint, value)
    return value


def _inner_type(hint: Any) -> Any:
    """`X` of `X | None`."""
    return next(arm for arm in typing.get_args(hint) if arm is not type(None))
