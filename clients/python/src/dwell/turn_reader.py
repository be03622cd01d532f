"""Converts a session's events into the events of one turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from . import events as ev
from .decoding import DecodeError, decode
from .events import Event, TurnEvent
from .transcript import Transcript
from .views import FINAL, Failure, OutcomeQuestion, Response, TurnView

E = TypeVar("E", bound=TurnEvent)


class TurnReader:
    """Reads the events of one turn in order, yields each change once, and keeps the text so far."""

    def __init__(self, session_id: str, turn_id: str) -> None:
        """Create a reader for a turn."""
        self.session_id = session_id
        self.turn_id = turn_id
        self.text = Transcript()
        self.thinking = Transcript()
        self._response: Response | None = None

    def read_view(self, view: TurnView) -> list[TurnEvent]:
        """The events that lead to the current state of a turn."""
        told: list[TurnEvent] = [_step(step, None) for step in view.steps]
        if view.text:
            # The view may have text without a number yet: it counts as live.
            new = self.text.take(0, view.text, numbered=False)
            told.append(ev.Token(offset=0, text=new))
        if view.status in ("waiting", "interrupted"):
            told.append(ev.Status(status=view.status, reason=view.reason, question=view.question))
        self._response = view.response
        if view.is_final:
            told.append(self._final(view.status, view.reason, view.error, view.last_seq))
        return told

    def read(self, event: Event) -> list[TurnEvent]:
        """Convert an event of the turn; nothing if it is known already."""
        data, seq = event.data, event.seq
        try:
            match event.type:
                case "chat.token":
                    return self._words(self.text, ev.Token, event)
                case "agent.thinking":
                    return self._words(self.thinking, ev.Thinking, event)
                case "chat.final":
                    self._response = decode(Response, data)
                    return []
                case "turn.status":
                    return self._status(data, seq)
                case "turn.stage":
                    return [ev.Stage(stage=str(data.get("stage")), detail=data.get("detail"), seq=seq)]
                case "step":
                    return [_step(data, seq)]
                case "tool.progress":
                    return [_with_seq(ev.Progress, data, seq)]
                case "research.started":
                    return [_with_seq(ev.ResearchStarted, data, seq)]
                case "research.chunk":
                    return [_with_seq(ev.ResearchChunk, data, seq)]
                case "research.done":
                    return [_with_seq(ev.ResearchDone, data, seq)]
                case "approval.request":
                    return [_with_seq(ev.Approval, data, seq)]
                case "approval.resolved":
                    return [_with_seq(ev.ApprovalResolved, data, seq)]
                case "clarification_needed":
                    return [_with_seq(ev.Clarification, data, seq)]
        except DecodeError:
            # A newer server may use another format: the event is passed on unchanged.
            pass
        return [ev.Other(event=event, seq=seq)]

    def _words(self, transcript: Transcript, kind: type[ev.Token] | type[ev.Thinking], event: Event) -> list[TurnEvent]:
        offset, delta = event.data.get("offset"), event.data.get("delta")
        if not isinstance(offset, int) or not isinstance(delta, str):
            raise DecodeError("a range of text has an offset and a delta")
        new = transcript.take(offset, delta, numbered=event.seq is not None)
        return [kind(offset=transcript.end - len(new), text=new, seq=event.seq)] if new else []

    def _status(self, data: Mapping[str, Any], seq: int | None) -> list[TurnEvent]:
        status, reason = str(data.get("status")), data.get("reason")
        if status in FINAL:
            error = decode(Failure, data["error"]) if data.get("error") else None
            return [self._final(status, reason, error, seq)]
        question = decode(OutcomeQuestion, data["question"]) if data.get("question") else None
        told: list[TurnEvent] = [
            ev.Status(status=status, reason=reason, attempt=data.get("attempt"), question=question, seq=seq)
        ]
        if status == "resumed":
            # Reasoning in the journal is kept; only live reasoning that was never stored is void.
            self.thinking.cut(self.thinking.settled)
            offset = int(data.get("text_offset") or 0)
            if self.text.cut(offset):
                told.append(ev.Restarted(offset=offset, seq=seq))
        return told

    def _final(self, status: str, reason: str | None, error: Failure | None, seq: int | None) -> ev.Final:
        answer = self._response
        ended = ev.Final(
            session_id=self.session_id,
            turn_id=self.turn_id,
            status=status,
            message=self.text.text,
            reason=reason,
            error=error,
            seq=seq,
        )
        if answer is None:
            return ended
        return replace(
            ended,
            message=answer.message,
            model=answer.model,
            usage=answer.usage,
            reasoning_summary=answer.reasoning_summary,
            citations=answer.citations,
            suggestions=answer.suggestions,
            artifacts=answer.artifacts,
            intent=answer.intent,
            confidence=answer.confidence,
            late=answer.late,
        )


def _step(step: Mapping[str, Any], seq: int | None) -> ev.Step:
    return ev.Step(type=str(step.get("type")), detail=step.get("detail"), seq=seq)


def _with_seq(kind: type[E], data: Mapping[str, Any], seq: int | None) -> E:
    return decode(kind, {**data, "seq": seq})
