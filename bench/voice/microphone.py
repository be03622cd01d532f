"""A microphone for the trial: silence in real time, and what is put into a file, once. Raw samples of
16 bits, 16,000 in a second, go to the standard output: `python microphone.py FILE.raw`."""

import pathlib
import sys
import time

CHUNK = 2_048
source, pending = pathlib.Path(sys.argv[1]), b""
next_at = time.monotonic()
while True:
    if not pending and source.exists():
        pending = source.read_bytes()
        source.unlink()
    chunk, pending = pending[:CHUNK], pending[CHUNK:]
    sys.stdout.buffer.write(chunk.ljust(CHUNK, b"\0"))
    sys.stdout.buffer.flush()
    next_at += CHUNK / 32_000
    time.sleep(max(0.0, next_at - time.monotonic()))
