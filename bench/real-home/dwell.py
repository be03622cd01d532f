"""The plain program, its REST API, and a Wyoming satellite."""

import asyncio
import json
import os
import re
import signal

import aiohttp

CLEAN = ("DWELL_", "OPENAI_", "ANTHROPIC_", "GEMINI_", "GOOGLE_", "AZURE_", "OPENROUTER_", "OLLAMA_", "HOME_ASSISTANT_")
ENDS = ("completed", "failed", "cancelled", "expired")


class Dwell:
    """A running server."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.process = self.http = None
        self.url, self.wyoming = "", 0

    async def start(self, config="", **settings):
        # What the caller's own environment sets must not leak in.
        environment = {name: value for name, value in os.environ.items() if not name.startswith(CLEAN)}
        environment |= {"DWELL_WYOMING_LISTEN": "127.0.0.1:0", "DWELL_WYOMING_ANNOUNCE": "false"} | settings
        os.makedirs(self.folder, exist_ok=True)
        file_name = f"{self.folder}/config.toml"
        with open(file_name, "w", encoding="utf-8") as file:
            file.write(config)
        self.log = open(f"{self.folder}/dwell.log", "ab")
        self.process = await asyncio.create_subprocess_exec(
            self.program, "serve", "--data", f"{self.folder}/data", "--listen", "127.0.0.1:0", "--config", file_name,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=self.log, env=environment)
        async def greeting():
            while line := (await self.process.stdout.readline()).decode():
                if found := re.search(r"wyoming on tcp://127\.0\.0\.1:(\d+)", line):
                    self.wyoming = int(found[1])
                if found := re.search(r"listening on (http://\S+)", line):
                    self.url = found[1]
                    return
            raise RuntimeError(f"Dwell ended at once; see {self.folder}/dwell.log")
        await asyncio.wait_for(greeting(), 60)
        self.drain = asyncio.create_task(self.process.stdout.read())
        with open(f"{self.folder}/data/token", encoding="utf-8") as file:
            self.http = aiohttp.ClientSession(headers={"authorization": "Bearer " + file.read().strip()})

    async def stop(self):
        if self.process is not None and self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                await asyncio.wait_for(self.process.wait(), 20)
            except TimeoutError:
                self.process.kill()
                await self.process.wait()
        if self.http is not None:
            await self.http.close()
            self.http = None
            self.log.close()

    async def call(self, path, body=None):
        """A request of the REST API; returns the answer."""
        method = "GET" if body is None else "POST"
        async with self.http.request(method, self.url + "/api/v1" + path, json=body) as answer:
            said = await answer.json(content_type=None)
            if answer.status >= 300:
                raise RuntimeError(f"{method} {path}: {answer.status} {said}")
            return said

    async def session(self, **settings):
        return (await self.call("/sessions", settings))["session_id"]

    async def turn(self, session, message):
        """Sends a message; returns its turn when it has ended or waits."""
        began = await self.call(f"/sessions/{session}/turns", {"message": message})
        return await self.ended(began["turn_id"])

    async def ended(self, turn):
        while True:
            view = await self.call(f"/turns/{turn}?wait_ms=20000")
            if view["status"] in ENDS or view["status"] == "waiting":
                return view

    async def approval(self, turn):
        """The open approval of a turn, or none."""
        found = await self.call("/approvals")
        return next((asked for asked in found["data"] if asked["turn_id"] == turn), None)

    async def decide(self, asked, decision):
        await self.call(f"/approvals/{asked['approval_id']}", {"decision": decision, "digest": asked["digest"]})

    async def home(self):
        return await self.call("/home")

    async def sees(self, states, entities, seconds=30):
        """Waits until Dwell's picture of these entities is the home's own."""
        for _ in range(seconds * 10):
            shown = {entity["entity_id"]: entity for entity in (await self.home())["entities"]}
            if all(entity not in shown or shown[entity].get("state") == states[entity]["state"] for entity in entities):
                return
            await asyncio.sleep(0.1)
        raise RuntimeError("Dwell does not see the home's states")

    async def until(self, is_so, what, seconds=90):
        """Waits until Dwell's view of the home fulfils something."""
        for _ in range(seconds * 5):
            view = await self.home()
            if is_so(view):
                return view
            await asyncio.sleep(0.2)
        raise RuntimeError(f"{what}: it never became so")


class Satellite:
    """A voice satellite that speaks Wyoming itself; each sentence has a connection of its own, as in Home Assistant."""

    def __init__(self, port, **context):
        self.port, self.context = port, context

    async def say(self, text, language=None):
        """Says a sentence; returns the kind and the text of the answer."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            data = {"text": text, "context": self.context} | ({"language": language} if language else {})
            data = json.dumps(data).encode()
            head = json.dumps({"type": "transcript", "version": "1.7.1", "data_length": len(data)}).encode()
            writer.write(head + b"\n" + data)
            await writer.drain()
            while True:
                line = await asyncio.wait_for(reader.readline(), 60)
                head = json.loads(line)
                data = json.loads(await reader.readexactly(head.get("data_length") or 0) or b"{}")
                if head["type"] in ("handled", "not-handled", "error"):
                    return head["type"], data.get("text", "")
        finally:
            writer.close()
