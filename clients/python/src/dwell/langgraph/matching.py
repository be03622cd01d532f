"""Which items a search wants, and which namespaces a list wants."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langgraph.store.base import MatchCondition

_EQUALITY: Mapping[str, Callable[[Any, Any], bool]] = {"$eq": operator.eq, "$ne": operator.ne}
_ORDER: Mapping[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def fits(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Whether a value has all that a filter wants."""
    return all(_is_like(value.get(name), each) for name, each in (wanted or {}).items())


def _is_like(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compare(value, name, operand) for name, operand in wanted.items())
        return isinstance(value, Mapping) and fits(value, wanted)
    if isinstance(wanted, (list, tuple)):
        if not isinstance(value, (list, tuple)) or len(value) != len(wanted):
            return False
        return all(_is_like(each, other) for each, other in zip(value, wanted, strict=True))
    return bool(value == wanted)


def _compare(value: Any, name: str, operand: Any) -> bool:
    if name in _EQUALITY:
        return _EQUALITY[name](value, operand)
    if name not in _ORDER:
        known = ", ".join([*_EQUALITY, *_ORDER])
        raise ValueError(f"a filter has the unknown operator {name!r}; known are {known}")
    number, other = _number(value), _number(operand)
    if number is not None and other is not None:
        return _ORDER[name](number, other)
    # Texts that are no numbers are compared as texts, for example dates.
    return isinstance(value, str) and isinstance(operand, str) and _ORDER[name](value, operand)


def _number(value: Any) -> float | None:
    if not isinstance(value, (int, float, str)):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def is_wanted(namespace: Sequence[str], conditions: Sequence[MatchCondition]) -> bool:
    """Whether a namespace fulfils all conditions; `*` stands for any label."""
    return all(_fulfils(namespace, each) for each in conditions)


def _fulfils(namespace: Sequence[str], condition: MatchCondition) -> bool:
    path = condition.path
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"namespaces are matched by `prefix` or `suffix`, not {condition.match_type!r}")
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(label in ("*", own) for label, own in zip(path, part, strict=True))


def common_prefix(conditions: Sequence[MatchCondition]) -> tuple[str, ...]:
    """The labels with which every wanted namespace begins."""
    longest: tuple[str, ...] = ()
    for each in conditions:
        if each.match_type == "prefix":
            labels = list(each.path)
            fixed = tuple(labels[: labels.index("*")] if "*" in labels else labels)
            longest = max(longest, fixed, key=len)
    return longest
