"""How checkpoints lie among the values of a server.

A checkpoint has a summary, by which threads are listed, and a state, beside which the writes of
tasks lie:

    … summary THREAD NAMESPACE CHECKPOINT
    … state   THREAD NAMESPACE CHECKPOINT checkpoint
    … state   THREAD NAMESPACE CHECKPOINT write TASK INDEX
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

from langgraph.checkpoint.serde.base import SerializerProtocol

from ..values import StoredValue

_LENGTH = struct.Struct(">Q")


@dataclass(frozen=True, slots=True)
class Summary:
    """What is known of a checkpoint without its state."""

    thread: str
    namespace: str
    checkpoint_id: str
    metadata: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Layout:
    """The keys of checkpoints below a root."""

    root: tuple[str, ...]

    def summaries(self, *names: str) -> tuple[str, ...]:
        """Above the summaries of all threads, of a thread, or of a namespace."""
        return (*self.root, "summary", *names)

    def states(self, thread: str) -> tuple[str, ...]:
        """Above the states and writes of a thread."""
        return (*self.root, "state", thread)

    def summary(self, thread: str, namespace: str, checkpoint_id: str) -> tuple[str, ...]:
        """The key of a summary."""
        return (*self.summaries(thread, namespace), checkpoint_id)

    def state(self, thread: str, namespace: str, checkpoint_id: str) -> tuple[str, ...]:
        """The key of a state; what belongs to it lies beside it."""
        return (*self.states(thread), namespace, checkpoint_id, "checkpoint")

    def write(self, thread: str, namespace: str, checkpoint_id: str, task_id: str, index: int) -> tuple[str, ...]:
        """The key of what a task has written to a channel."""
        return (*self.states(thread), namespace, checkpoint_id, "write", str(task_id), str(index))

    def is_state(self, key: tuple[str, ...]) -> bool:
        """Whether a key beside a state is the state's own."""
        return len(key) == len(self.root) + 5

    def read(self, serde: SerializerProtocol, value: StoredValue) -> Summary:
        """A summary that was listed."""
        thread, namespace, checkpoint_id = value.key[-3:]
        return Summary(thread, namespace, checkpoint_id, object_of(serde, value.value or b"")["metadata"])


def bytes_of(serde: SerializerProtocol, value: Any) -> bytes:
    """A value as the serializer writes it, after the name of its form."""
    kind, data = serde.dumps_typed(value)
    return kind.encode() + b"\n" + data


def object_of(serde: SerializerProtocol, data: bytes) -> Any:
    """A value of these bytes."""
    kind, _, rest = data.partition(b"\n")
    return serde.loads_typed((kind.decode(), rest))


def join(summary: bytes, checkpoint: bytes) -> bytes:
    """Both in one value, so that reading a state takes one request."""
    return _LENGTH.pack(len(summary)) + summary + checkpoint


def split(state: bytes) -> tuple[bytes, bytes]:
    """The summary and the checkpoint of a state."""
    (length,) = _LENGTH.unpack_from(state)
    end = _LENGTH.size + length
    return state[_LENGTH.size : end], state[end:]
