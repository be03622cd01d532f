"""LangGraph's checkpointer: the state of threads, kept by a Dwell server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from ..client import Dwell
from ..sync import SyncClient
from ..values import PutValue
from .blocking import KEYS_MAX, BlockingValues
from .checkpoints import Layout, Summary, bytes_of, join, object_of, split


class DwellSaver(BaseCheckpointSaver[int]):
    """Checkpoints on a Dwell server.

    What `put` and `put_writes` have returned for is on the server's disk. A checkpoint is written
    as a whole or not at all, and comes back as LangGraph's serializer wrote it, byte for byte.
    """

    def __init__(
        self, client: Dwell | SyncClient, *, name: str = "default", serde: SerializerProtocol | None = None
    ) -> None:
        """The checkpoints of a client's owner; savers with different names have nothing in common."""
        super().__init__(serde=serde)
        self._values = BlockingValues(client)
        self._layout = Layout(("langgraph", "checkpoints", name))

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,  # noqa: ARG002 (a checkpoint is stored as a whole)
    ) -> RunnableConfig:
        """Store a checkpoint."""
        thread, namespace = thread_of(config)
        known = {"parent": get_checkpoint_id(config), "metadata": get_checkpoint_metadata(config, metadata)}
        summary = bytes_of(self.serde, known)
        where = (thread, namespace, checkpoint["id"])
        self._values.write(
            [
                PutValue(self._layout.state(*where), join(summary, bytes_of(self.serde, checkpoint))),
                PutValue(self._layout.summary(*where), summary),
            ]
        )
        return config_of(config, checkpoint["id"])

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store what a task has written since a checkpoint. The same task again changes nothing."""
        thread, namespace = thread_of(config)
        checkpoint_id = str(config["configurable"]["checkpoint_id"])
        puts = []
        for place, (channel, value) in enumerate(writes):
            index = WRITES_IDX_MAP.get(channel, place)
            key = self._layout.write(thread, namespace, checkpoint_id, task_id, index)
            # Errors, interrupts and the like are replaced by newer ones.
            puts.append(PutValue(key, bytes_of(self.serde, [task_path, channel, value]), keep=index >= 0))
        self._values.write_many(puts)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """A checkpoint; without an id, the latest of its thread and namespace."""
        thread, namespace = thread_of(config)
        checkpoint_id = get_checkpoint_id(config)
        if checkpoint_id is not None:
            return self._load(config, namespace, str(checkpoint_id))
        below = self._layout.summaries(thread, namespace)
        for latest in self._values.list(below, order="key_descending", keys_only=True, limit=1):
            # A state may be gone because a text in it was forgotten: the one before it counts then.
            found = self._load(config, namespace, latest.key[-1])
            if found is not None:
                return found
        return None

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Checkpoints, newest first: of a namespace, of a whole thread, or of all threads."""
        left = limit
        for summary in self._summaries(config, before):
            if left is not None and left <= 0:
                return
            if any(summary.metadata.get(name) != wanted for name, wanted in (filter or {}).items()):
                continue
            own: RunnableConfig = {"configurable": {"thread_id": summary.thread}}
            found = self._load(own if config is None else config, summary.namespace, summary.checkpoint_id)
            if found is not None:
                yield found
                left = None if left is None else left - 1

    def delete_thread(self, thread_id: str) -> None:
        """Delete everything of a thread."""
        self._values.write(deletes_below=[self._layout.states(str(thread_id)), self._layout.summaries(str(thread_id))])

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of runs. Looks through the checkpoints of all threads."""
        wanted = {str(each) for each in run_ids}
        self._delete([each for each in self._summaries(None, None) if str(each.metadata.get("run_id")) in wanted])

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy everything of a thread to another one, which is to be empty."""
        source, target = str(source_thread_id), str(target_thread_id)
        # The summaries come last: until then the copies do not exist for readers.
        for all_of in (self._layout.states, self._layout.summaries):
            place = len(all_of(source)) - 1
            part: list[PutValue] = []
            for value in self._values.list(all_of(source)):
                key = (*value.key[:place], target, *value.key[place + 1 :])
                part.append(PutValue(key, value.value or b""))
                if len(part) == KEYS_MAX:
                    self._values.write_many(part)
                    part = []
            self._values.write_many(part)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete old checkpoints: all but the latest of each namespace, or with `delete` all.

        Ancestors from which a channel of the latest is rebuilt (`DeltaChannel`) stay.
        """
        if strategy not in ("keep_latest", "delete"):
            raise ValueError(f"the strategy is `keep_latest` or `delete`, not {strategy!r}")
        for thread in map(str, thread_ids):
            if strategy == "delete":
                self.delete_thread(thread)
                continue
            kept: set[tuple[str, str]] = set()
            seen: set[str] = set()
            summaries = list(self._summaries({"configurable": {"thread_id": thread}}, None))
            for summary in summaries:
                if summary.namespace not in seen:
                    seen.add(summary.namespace)
                    kept.update((summary.namespace, each) for each in self._needed(summary))
            self._delete([each for each in summaries if (each.namespace, each.checkpoint_id) not in kept])

    def get_delta_channel_history(self, *, config: RunnableConfig, channels: Sequence[str]) -> Mapping[str, Any]:
        """What each channel was written since its last stored value, along the parents."""
        return super().get_delta_channel_history(config=config, channels=channels)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint."""
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store what a task has written since a checkpoint."""
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """A checkpoint; without an id, the latest of its thread and namespace."""
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Checkpoints, newest first."""
        found = self.list(config, filter=filter, before=before, limit=limit)
        while (each := await asyncio.to_thread(next, found, None)) is not None:
            yield each

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete everything of a thread."""
        await asyncio.to_thread(self.delete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of runs."""
        await asyncio.to_thread(self.delete_for_runs, run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy everything of a thread to another one."""
        await asyncio.to_thread(self.copy_thread, source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete old checkpoints."""
        await asyncio.to_thread(lambda: self.prune(thread_ids, strategy=strategy))

    async def aget_delta_channel_history(self, *, config: RunnableConfig, channels: Sequence[str]) -> Mapping[str, Any]:
        """What each channel was written since its last stored value, along the parents."""
        return await asyncio.to_thread(lambda: self.get_delta_channel_history(config=config, channels=channels))

    def _load(self, config: RunnableConfig, namespace: str, checkpoint_id: str) -> CheckpointTuple | None:
        thread = str(config["configurable"]["thread_id"])
        state: bytes | None = None
        writes: list[tuple[str, str, int, str, Any]] = []
        for value in self._values.list(self._layout.state(thread, namespace, checkpoint_id)[:-1]):
            if self._layout.is_state(value.key):
                state = value.value
            else:
                task_id, index = value.key[-2:]
                task_path, channel, written = object_of(self.serde, value.value or b"")
                writes.append((task_path, task_id, int(index), channel, written))
        if state is None:
            return None
        summary, checkpoint = split(state)
        known = object_of(self.serde, summary)
        own = config_of(config, checkpoint_id, namespace)
        parent = known["parent"]
        return CheckpointTuple(
            config=own,
            checkpoint=object_of(self.serde, checkpoint),
            metadata=known["metadata"],
            parent_config=None if parent is None else config_of(config, parent, namespace),
            # The order in which LangGraph applies the writes of a step.
            pending_writes=[
                (task_id, channel, written)
                for _, task_id, _, channel, written in sorted(writes, key=lambda each: each[:3])
            ],
        )

    def _summaries(self, config: RunnableConfig | None, before: RunnableConfig | None) -> Iterator[Summary]:
        """The checkpoints in question, newest first."""
        until = None if before is None else get_checkpoint_id(before)
        fields = {} if config is None else config["configurable"]
        names = [] if config is None else [str(fields["thread_id"])]
        if config is not None and fields.get("checkpoint_ns") is not None:
            names.append(str(fields["checkpoint_ns"]))
            end = None if until is None else (*self._layout.summaries(*names), until)
            stored = self._values.list(self._layout.summaries(*names), order="key_descending", before=end)
            found: Iterator[Summary] = (self._layout.read(self.serde, each) for each in stored)
        else:
            # Ids grow with time, also across namespaces and threads.
            stored = self._values.list(self._layout.summaries(*names))
            every = (self._layout.read(self.serde, each) for each in stored)
            found = iter(sorted(every, key=lambda each: each.checkpoint_id, reverse=True))
        only = fields.get("checkpoint_id")
        for summary in found:
            if (until is None or summary.checkpoint_id < until) and (only is None or summary.checkpoint_id == only):
                yield summary

    def _needed(self, latest: Summary) -> Iterator[str]:
        """The ids of a checkpoint and of the ancestors without which it cannot be rebuilt."""
        config: RunnableConfig | None = {
            "configurable": {
                "thread_id": latest.thread,
                "checkpoint_ns": latest.namespace,
                "checkpoint_id": latest.checkpoint_id,
            }
        }
        missing = set(latest.metadata.get("counters_since_delta_snapshot") or {})
        while config is not None:
            found = self.get_tuple(config)
            if found is None:
                return
            yield found.config["configurable"]["checkpoint_id"]
            missing -= set(found.checkpoint["channel_values"])
            if not missing:
                return
            config = found.parent_config

    def _delete(self, summaries: Sequence[Summary]) -> None:
        """Delete checkpoints with their writes, each of them as a whole."""
        for start in range(0, len(summaries), KEYS_MAX):
            part = [(each.thread, each.namespace, each.checkpoint_id) for each in summaries[start : start + KEYS_MAX]]
            self._values.write(
                deletes=[self._layout.summary(*each) for each in part],
                deletes_below=[self._layout.state(*each)[:-1] for each in part],
            )


def thread_of(config: RunnableConfig) -> tuple[str, str]:
    """The thread and the namespace of a config."""
    fields = config["configurable"]
    return str(fields["thread_id"]), str(fields.get("checkpoint_ns") or "")


def config_of(config: RunnableConfig, checkpoint_id: str, namespace: str | None = None) -> RunnableConfig:
    """The config of a checkpoint of the same thread."""
    fields = config["configurable"]
    return {
        "configurable": {
            "thread_id": fields["thread_id"],
            "checkpoint_ns": str(fields.get("checkpoint_ns") or "") if namespace is None else namespace,
            "checkpoint_id": checkpoint_id,
        }
    }
