"""A turn's text, assembled by offsets: each character once, across reconnections."""

from __future__ import annotations


class Transcript:
    """The text so far. Offsets count Unicode code points, as Python's strings do."""

    def __init__(self) -> None:
        """Create an empty transcript."""
        self._start = 0
        self._pieces: list[str] = []
        self._end = 0
        self._settled = 0

    @property
    def text(self) -> str:
        """The text from `start` on."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    @property
    def start(self) -> int:
        """The offset of the text's start: 0, unless the stream was joined in the middle."""
        return self._start

    @property
    def end(self) -> int:
        """The offset of the next new character."""
        return self._end

    @property
    def settled(self) -> int:
        """The offset up to which the text is in the journal."""
        return self._settled

    def take(self, offset: int, delta: str, *, numbered: bool) -> str:
        """Add a range and return its new part; empty if nothing is new.

        Live text after a gap is skipped: the journal's record of the same text fills it.
        """
        if offset > self._end:
            if not numbered:
                return ""
            self._begin_at(offset)
        if numbered:
            self._settled = max(self._settled, offset + len(delta))
        new = delta[self._end - offset :]
        if new:
            self._pieces.append(new)
            self._end += len(new)
        return new

    def cut(self, offset: int) -> bool:
        """Remove the text after an offset; return whether there was any."""
        self._settled = min(self._settled, offset)
        if offset >= self._end:
            return False
        kept = self.text[: max(0, offset - self._start)]
        self._pieces = [kept] if kept else []
        self._start = min(self._start, offset)
        self._end = offset
        return True

    def _begin_at(self, offset: int) -> None:
        self._pieces.clear()
        self._start = self._end = offset
