"""A trial of speech by hand: a real wyoming-satellite, pocketsphinx and espeak-ng behind Wyoming
servers, and Dwell with its simulated home. Each sentence is spoken by flite into the satellite's
microphone; printed is what was recognized, what Dwell answered, and how long the spoken answer is.

    python drive.py DWELL SATELLITE_PYTHON [SATELLITE_FOLDER]

`python` has the packages wyoming and pocketsphinx, SATELLITE_PYTHON the package wyoming-satellite (or
its sources are in SATELLITE_FOLDER); espeak-ng and flite are installed.
"""

import array
import json
import math
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import wave

SENTENCES = [
    "turn on the floor lamp",
    "turn off the floor lamp",
    "is the front door locked",
    "turn off the kitchen light",
    "open the blinds in the living room",
    "what time is it",
    "unlock the front door",
]
HERE = pathlib.Path(__file__).parent
PATIENCE = 60.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def spoken(text: str, folder: pathlib.Path) -> bytes:
    """A beep, a pause, and the sentence."""
    path = folder / "sentence.wav"
    subprocess.run(["flite", "-voice", "rms", "-t", text, "-o", path], check=True)
    with wave.open(str(path)) as sound:
        assert (sound.getframerate(), sound.getsampwidth(), sound.getnchannels()) == (16_000, 2, 1)
        sentence = sound.readframes(sound.getnframes())
    beep = array.array("h", [int(20_000 * math.sin(at / 16_000 * 1_000 * math.tau)) for at in range(3_200)])
    return beep.tobytes() + bytes(2 * 9_600) + sentence


class Trial:
    def __init__(self, dwell: str, satellite_python: str, satellite_folder: str | None) -> None:
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="dwell-voice-"))
        self.ports = {name: free_port() for name in ("stt", "tts", "wake", "satellite")}
        self.running: list[subprocess.Popen] = []
        self.played = self.folder / "played.raw"
        uri = {name: f"tcp://127.0.0.1:{port}" for name, port in self.ports.items()}
        services = [str(self.ports[name]) for name in ("stt", "tts", "wake")]
        self.start("services", [sys.executable, str(HERE / "services.py"), *services])
        self.satellite = [
            satellite_python, "-m", "wyoming_satellite", "--name", "trial", "--uri", uri["satellite"],
            "--mic-command", f"{sys.executable} {HERE / 'microphone.py'} {self.folder / 'say.raw'}",
            "--mic-command-samples-per-chunk", "1024",
            "--snd-command", f"sh -c 'cat >> {self.played}'", "--snd-command-rate", "22050",
            "--wake-uri", uri["wake"], "--wake-word-name", "beep",
            "--transcript-command", self.collect("transcripts"),
            "--synthesize-command", self.collect("answers"), "--no-zeroconf", "--debug",
        ]  # fmt: skip
        self.path = {"PYTHONPATH": satellite_folder} if satellite_folder else {}
        self.start("satellite", self.satellite, self.path)
        environment = {
            "HOME": str(self.folder),
            "DWELL_LISTEN": "127.0.0.1:0",
            "DWELL_SERVER_OPEN": "never",
            "DWELL_VOICE_SPEECH_TO_TEXT": uri["stt"],
            "DWELL_VOICE_TEXT_TO_SPEECH": uri["tts"],
            "DWELL_VOICE_LANGUAGE": "en",
            "DWELL_VOICE_SATELLITES": json.dumps({"trial": {"uri": uri["satellite"], "area": "Living room"}}),
            "DWELL_WYOMING_APPROVE": "true",
        }
        command = [dwell, "serve", "--data", str(self.folder / "data")]
        self.start("dwell", command, environment)
        self.url = self.printed("dwell", "listening on ")
        self.token = (self.folder / "data" / "token").read_text().strip()

    def collect(self, name: str) -> str:
        """A command that appends its input as a line to a file."""
        return f"sh -c '(cat; echo) >> {self.folder / name}'"

    def start(self, name: str, command: list[str], environment: dict[str, str] | None = None) -> None:
        log = (self.folder / f"{name}.log").open("w")
        self.running.append(
            subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **(environment or {})})
        )

    def printed(self, name: str, beginning: str) -> str:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            for line in (self.folder / f"{name}.log").read_text().splitlines():
                if line.startswith(beginning):
                    return line.removeprefix(beginning)
            time.sleep(0.1)
        raise SystemExit(f"{name} did not print {beginning!r}; see {self.folder}")

    def connected(self) -> None:
        until = time.monotonic() + PATIENCE
        while "Waiting for wake word" not in (self.folder / "satellite.log").read_text():
            if time.monotonic() > until:
                raise SystemExit(f"the satellite is not connected; see {self.folder}")
            time.sleep(0.2)

    def say(self, text: str) -> None:
        before = self.played.stat().st_size if self.played.exists() else 0
        counts = [self.lines(name) for name in ("transcripts", "answers")]
        (self.folder / "next.raw").write_bytes(spoken(text, self.folder))
        (self.folder / "next.raw").rename(self.folder / "say.raw")
        began, size, steady = time.monotonic(), before, 0
        while time.monotonic() - began < PATIENCE and steady < 10:
            time.sleep(0.2)
            now = self.played.stat().st_size if self.played.exists() else 0
            steady = steady + 1 if now == size and now > before else 0
            size = now
        heard, answered = (
            " ".join(self.lines(name)[len(count):]) for name, count in zip(("transcripts", "answers"), counts)
        )  # fmt: skip
        print(f"said       {text}\nrecognized {heard}\nanswered   {answered} ({(size - before) / 44_100:.1f} s)\n")

    def lines(self, name: str) -> list[str]:
        path = self.folder / name
        return path.read_text().replace("\0", "").splitlines() if path.exists() else []

    def state(self, entity_id: str) -> str:
        request = urllib.request.Request(f"{self.url}/api/v1/home", headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request) as answer:
            entities = json.load(answer)["entities"]
        return next(entity["state"] for entity in entities if entity["entity_id"] == entity_id)

    def end(self) -> None:
        for process in reversed(self.running):
            process.terminate()
        for process in self.running:
            process.wait()


def main() -> None:
    trial = Trial(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
    try:
        trial.connected()
        for sentence in SENTENCES:
            trial.say(sentence)
            if "lamp" in sentence:
                print(f"           light.floor_lamp is {trial.state('light.floor_lamp')}\n")
        print(f"           lock.front_door is {trial.state('lock.front_door')}")
        print(f"logs in {trial.folder}")
    finally:
        trial.end()


if __name__ == "__main__":
    main()
