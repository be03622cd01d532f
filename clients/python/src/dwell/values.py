"""Values: bytes that programs store under keys of their own."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

from .core import Area, without_none

#: A key: its parts, from the general to the particular.
Key = Sequence[str]
ValueOrder = Literal["key", "key_descending", "newest"]


@dataclass(frozen=True, slots=True)
class PutValue:
    """A value to store; one that is there already is replaced."""

    key: Key
    value: bytes
    #: Seconds after which it is deleted; None means never.
    ttl_s: int | None = None
    #: Embeddings by which `near` finds it, all of the same length.
    vectors: Sequence[Sequence[float]] = ()
    #: Leave a value that is there already as it is.
    keep: bool = False

    def wire(self) -> dict[str, Any]:
        """The form in which it is sent."""
        fields: dict[str, Any] = {"key": list(self.key), "value": base64.b64encode(self.value).decode("ascii")}
        if self.ttl_s is not None:
            fields["ttl_s"] = self.ttl_s
        if self.vectors:
            fields["vectors"] = [list(each) for each in self.vectors]
        return {**fields, "keep": True} if self.keep else fields


@dataclass(frozen=True, slots=True)
class StoredValue:
    """A value with its key."""

    key: tuple[str, ...]
    #: None if only keys were asked for.
    value: bytes | None
    #: Number of its bytes.
    size: int
    created_at: str
    updated_at: str
    expires_at: str | None = None
    #: With `near`: the similarity, from -1 to 1.
    score: float | None = None

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """A value as it was received."""
        value = fields.get("value")
        return cls(
            key=tuple(fields["key"]),
            value=None if value is None else base64.b64decode(value),
            size=fields["size"],
            created_at=fields["created_at"],
            updated_at=fields["updated_at"],
            expires_at=fields.get("expires_at"),
            score=fields.get("score"),
        )


@dataclass(frozen=True, slots=True)
class ValuePage:
    """A page of values; `next_cursor` is None on the last one."""

    data: list[StoredValue]
    next_cursor: str | None = None

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Self:
        """A page as it was received."""
        return cls([StoredValue.read(each) for each in fields["data"]], fields.get("next_cursor"))


@dataclass(frozen=True, slots=True)
class ValueWriteResult:
    """How many values were stored and deleted."""

    written: int
    deleted: int


class Values(Area):
    """The owner's values: `client.values`. They come back byte for byte, and are no memories."""

    async def write(
        self,
        puts: Sequence[PutValue] = (),
        *,
        deletes: Sequence[Key] = (),
        deletes_below: Sequence[Key] = (),
        refreshes: Sequence[Key] = (),
    ) -> ValueWriteResult:
        """Delete and store values, all or none; returns once that is on the disk.

        `deletes_below` deletes all values whose keys begin with these parts and have further ones.
        `refreshes` starts the time to live of values again.
        """
        body = write_body(puts, deletes, deletes_below, refreshes)
        # The same write again has the same effect, so that it can be repeated.
        answer = await self._core._rest.ask(dict, "POST", "/api/v1/values/write", body=body, is_repeatable=True)
        return ValueWriteResult(**answer)

    async def read(self, keys: Sequence[Key]) -> Sequence[StoredValue]:
        """The values under these keys; keys without a value are left out."""
        body = {"keys": [list(each) for each in keys]}
        answer = await self._core._rest.ask(dict, "POST", "/api/v1/values/read", body=body, is_repeatable=True)
        return ValuePage.read(answer).data

    async def list(
        self,
        below: Key = (),
        *,
        order: ValueOrder | None = None,
        before: Key | None = None,
        near: Sequence[float] | None = None,
        keys_only: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ValuePage:
        """A page of the values whose keys begin with these parts and have further ones.

        With `near`, an embedding, the most similar come first. `before` excludes this key and all
        after it.
        """
        body = list_body(
            below, order=order, before=before, near=near, keys_only=keys_only, limit=limit, cursor=cursor
        )  # fmt: skip
        answer = await self._core._rest.ask(dict, "POST", "/api/v1/values/list", body=body, is_repeatable=True)
        return ValuePage.read(answer)


def write_body(
    puts: Sequence[PutValue], deletes: Sequence[Key], deletes_below: Sequence[Key], refreshes: Sequence[Key]
) -> dict[str, Any]:
    """The body of a write."""
    return {
        "puts": [each.wire() for each in puts],
        "deletes": [list(each) for each in deletes],
        "deletes_below": [list(each) for each in deletes_below],
        "refreshes": [list(each) for each in refreshes],
    }


def list_body(
    below: Key, *, before: Key | None = None, near: Sequence[float] | None = None, **more: Any
) -> dict[str, Any]:
    """The body of a list."""
    return without_none(
        below=list(below),
        before=None if before is None else list(before),
        near=None if near is None else list(near),
        **more,
    )
