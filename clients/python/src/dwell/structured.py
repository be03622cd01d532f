"""Structured answers: the schema that a turn's answer has to match, and how the answer is read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .tools.reading import BadValue, read
from .tools.schema import schema_of


@dataclass(frozen=True, slots=True)
class AnswerFormat:
    """The form of an answer: a JSON Schema, and the Python type that it is read as."""

    schema: Mapping[str, Any]
    hint: Any = Any

    @classmethod
    def of(cls, given: Any) -> AnswerFormat:
        """From a JSON Schema, or from a type such as a dataclass or a model of pydantic."""
        if isinstance(given, Mapping):
            return cls(dict(given))
        return cls(schema_of(given), given)

    def parse(self, text: str) -> Any:
        """Read an answer; raises `ValueError` that says what does not match."""
        try:
            value = json.loads(text)
        except ValueError as error:
            raise BadValue(f"the answer is not JSON: {error}") from error
        return read(self.hint, value, "the answer")
