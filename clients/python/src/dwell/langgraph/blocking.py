"""Values over HTTP without an event loop, so that any thread and any loop can use them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..client import Dwell
from ..errors import InvalidRequest
from ..rest import Rest
from ..sync import SyncClient
from ..values import Key, PutValue, StoredValue, ValuePage, list_body, write_body

#: What a request has at most: keys, and bytes of values.
KEYS_MAX = 1000
BYTES_MAX = 32 * 1024 * 1024


class BlockingValues:
    """The values of one owner."""

    def __init__(self, client: Dwell | SyncClient) -> None:
        """The values of a client's owner. The client need not be connected."""
        self.rest: Rest = rest_of(client)

    def write(
        self,
        puts: Sequence[PutValue] = (),
        *,
        deletes: Sequence[Key] = (),
        deletes_below: Sequence[Key] = (),
        refreshes: Sequence[Key] = (),
    ) -> None:
        """Write all of it at once, or nothing."""
        body = write_body(puts, deletes, deletes_below, refreshes)
        self.rest.call("POST", "/api/v1/values/write", body=body)

    def write_many(self, puts: Sequence[PutValue] = (), deletes: Sequence[Key] = ()) -> None:
        """Write in one request, or in several if one cannot hold all of it; deletions come first."""
        deletes = list(deletes)
        while len(deletes) > KEYS_MAX:
            self.write(deletes=deletes[:KEYS_MAX])
            del deletes[:KEYS_MAX]
        *earlier, last = list(_parts(puts)) or [[]]
        for part in earlier:
            self.write(part, deletes=deletes)
            deletes = []
        if last or deletes:
            self.write(last, deletes=deletes)

    def read(self, keys: Sequence[Key]) -> Sequence[StoredValue]:
        """The values under these keys; keys without a value are left out."""
        if not keys:
            return []
        if len(keys) > KEYS_MAX:
            return [*self.read(keys[:KEYS_MAX]), *self.read(keys[KEYS_MAX:])]
        try:
            answer = self.rest.call("POST", "/api/v1/values/read", body={"keys": [list(each) for each in keys]})
        except InvalidRequest as error:
            if error.code != "too_large" or len(keys) == 1:
                raise
            middle = len(keys) // 2
            return [*self.read(keys[:middle]), *self.read(keys[middle:])]
        return ValuePage.read(answer).data

    def list(self, below: Key, **options: Any) -> Iterator[StoredValue]:
        """All values whose keys begin with these parts and have further ones, page by page.

        `limit` is the size of a page.
        """
        cursor: str | None = None
        while True:
            body = list_body(below, cursor=cursor, **options)
            page = ValuePage.read(self.rest.call("POST", "/api/v1/values/list", body=body))
            yield from page.data
            cursor = page.next_cursor
            if cursor is None:
                return


def rest_of(client: Dwell | SyncClient) -> Rest:
    """How a client sends requests over HTTP."""
    if isinstance(client, SyncClient):
        return client._async._rest
    if isinstance(client, Dwell):
        return client._rest
    raise TypeError(f"a client is needed, from dwell.connect(…) or dwell.SyncClient(…), not {type(client).__name__}")


def _parts(puts: Sequence[PutValue]) -> Iterator[list[PutValue]]:
    """The values in portions that fit into one request."""
    part: list[PutValue] = []
    size = 0
    for put in puts:
        length = len(put.value)
        if part and (len(part) == KEYS_MAX or size + length > BYTES_MAX):
            yield part
            part, size = [], 0
        part.append(put)
        size += length
    if part:
        yield part
