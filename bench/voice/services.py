"""Wyoming services for a trial of speech by hand, made of what package registries have: pocketsphinx
recognizes (its package carries an English model), espeak-ng speaks, and a beep is the wake word.

Needs the packages `wyoming` and `pocketsphinx` of Python and the program espeak-ng:
    python services.py STT_PORT TTS_PORT WAKE_PORT
"""

import array
import asyncio
import io
import subprocess
import sys
import wave
from functools import partial

from pocketsphinx import Decoder
from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.event import Event
from wyoming.info import Attribution, Describe, Info
from wyoming.server import AsyncEventHandler, AsyncServer
from wyoming.tts import Synthesize
from wyoming.wake import Detect, Detection

ATTRIBUTION = Attribution(name="trial", url="")
# Samples above this are the beep; the sentences are not as loud.
BEEP_MIN = 19_000


class Recognizer(AsyncEventHandler):
    """Recognizes English with pocketsphinx and its own model."""

    audio = b""

    async def handle_event(self, event: Event) -> bool:
        if Describe.is_type(event.type):
            await self.write_event(Info().event())
        elif Transcribe.is_type(event.type):
            self.audio = b""
        elif AudioChunk.is_type(event.type):
            self.audio += AudioChunk.from_event(event).audio
        elif AudioStop.is_type(event.type):
            text = await asyncio.to_thread(recognize, self.audio)
            print(f"recognized {len(self.audio) / 32_000:.1f} s: {text}", flush=True)
            await self.write_event(Transcript(text=text).event())
            return False
        return True


def recognize(audio: bytes) -> str:
    decoder = Decoder(samprate=16_000, loglevel="FATAL")
    decoder.start_utt()
    decoder.process_raw(audio, full_utt=True)
    decoder.end_utt()
    found = decoder.hyp()
    return found.hypstr if found else ""


class Speaker(AsyncEventHandler):
    """Speaks with espeak-ng."""

    async def handle_event(self, event: Event) -> bool:
        if Describe.is_type(event.type):
            await self.write_event(Info().event())
        elif Synthesize.is_type(event.type):
            text = Synthesize.from_event(event).text
            spoken = await asyncio.to_thread(subprocess.run, ["espeak-ng", "--stdout", text], stdout=-1, check=True)
            with wave.open(io.BytesIO(spoken.stdout)) as sound:
                form = {"rate": sound.getframerate(), "width": sound.getsampwidth(), "channels": sound.getnchannels()}
                await self.write_event(AudioStart(**form).event())
                # The header of a stream does not know its length.
                while frames := sound.readframes(2_048):
                    await self.write_event(AudioChunk(audio=frames, **form).event())
                await self.write_event(AudioStop().event())
        return True


class WakeWord(AsyncEventHandler):
    """Takes a beep for the wake word."""

    is_asked = False

    async def handle_event(self, event: Event) -> bool:
        if Describe.is_type(event.type):
            await self.write_event(Info().event())
        elif Detect.is_type(event.type):
            self.is_asked = True
        elif AudioChunk.is_type(event.type):
            samples = array.array("h", AudioChunk.from_event(event).audio)
            if self.is_asked and samples and max(samples) > BEEP_MIN:
                self.is_asked = False
                await self.write_event(Detection(name="beep").event())
        return True


async def main() -> None:
    services = zip((Recognizer, Speaker, WakeWord), sys.argv[1:], strict=True)
    servers = [AsyncServer.from_uri(f"tcp://127.0.0.1:{port}").run(partial(kind)) for kind, port in services]
    print("services are ready", flush=True)
    await asyncio.gather(*servers)


if __name__ == "__main__":
    asyncio.run(main())
