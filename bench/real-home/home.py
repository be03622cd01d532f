"""A client of Home Assistant, with which the home is put in order before a sentence and looked at after it."""

import asyncio
import subprocess
import time

import aiohttp

# What is put back before each sentence, and what may not change unless a sentence asks for it.
WATCHED = ("alarm_control_panel", "automation", "climate", "cover", "fan", "humidifier", "input_boolean", "light",
           "lock", "media_player", "script", "siren", "switch", "todo", "vacuum", "valve", "water_heater")
ATTRIBUTES = ("brightness", "temperature", "percentage", "volume_level", "is_volume_muted", "rgb_color")
MOVING = ("opening", "closing", "locking", "unlocking", "buffering")
BACK = {
    ("light", "on"): "turn_on", ("light", "off"): "turn_off", ("switch", "on"): "turn_on", ("switch", "off"): "turn_off",
    ("fan", "on"): "turn_on", ("fan", "off"): "turn_off", ("lock", "locked"): "lock", ("lock", "unlocked"): "unlock",
    ("cover", "open"): "open_cover", ("cover", "closed"): "close_cover", ("media_player", "playing"): "media_play",
    ("media_player", "off"): "turn_off", ("media_player", "paused"): "media_pause", ("humidifier", "on"): "turn_on",
    ("humidifier", "off"): "turn_off", ("vacuum", "docked"): "return_to_base", ("input_boolean", "off"): "turn_off",
    ("input_boolean", "on"): "turn_on",
}


class Home:
    """A running Home Assistant, started by the tool."""

    def __init__(self, tool, folder, port):
        self.tool, self.folder, self.port = tool, folder, port
        self.url = f"http://127.0.0.1:{port}"
        self.http = self.socket = self.reader = None
        self.token, self.last_id, self.waiting, self.calls = "", 0, {}, []

    async def connect(self):
        with open(f"{self.folder}/token", encoding="utf-8") as file:
            self.token = file.read().strip()
        self.http = aiohttp.ClientSession(headers={"authorization": f"Bearer {self.token}"})
        self.socket = await self.http.ws_connect(self.url + "/api/websocket", max_msg_size=0)
        await self.socket.receive_json()
        await self.socket.send_json({"type": "auth", "access_token": self.token})
        said = await self.socket.receive_json()
        assert said["type"] == "auth_ok", said
        self.reader = asyncio.create_task(self.read())
        await self.call("subscribe_events", event_type="call_service")

    async def close(self):
        if self.http is not None:
            self.reader.cancel()
            await self.socket.close()
            await self.http.close()
            self.http = None

    async def read(self):
        async for message in self.socket:
            said = message.json()
            if said["type"] == "event":
                event = said["event"]
                # What a script or an automation does by itself has a parent.
                if event["context"].get("parent_id") is None:
                    self.calls.append(event["data"])
            elif (waiting := self.waiting.pop(said.get("id"), None)) is not None:
                waiting.set_result(said)

    async def call(self, kind, **data):
        """Sends a command over the WebSocket; returns its result."""
        self.last_id += 1
        waiting = self.waiting[self.last_id] = asyncio.get_running_loop().create_future()
        await self.socket.send_json({"id": self.last_id, "type": kind, **data})
        said = await asyncio.wait_for(waiting, 60)
        if not said.get("success", True):
            raise RuntimeError(f"{kind}: {said['error']}")
        return said.get("result")

    async def get(self, path):
        async with self.http.get(self.url + path) as answer:
            return answer.status, (await answer.json(content_type=None) if answer.status == 200 else None)

    async def post(self, path, body):
        async with self.http.post(self.url + path, json=body) as answer:
            return answer.status, await answer.json(content_type=None)

    async def states(self):
        """All states, by entity."""
        return {state["entity_id"]: state for state in await self.call("get_states")}

    async def state(self, entity):
        return (await self.states())[entity]["state"]

    async def service(self, service, entity, **data):
        """Calls a service as Home Assistant's own page would."""
        domain, name = service.split(".")
        await self.call("call_service", domain=domain, service=name, service_data=data, target={"entity_id": entity})

    async def taken(self):
        """The calls since the last time, all that were made before this moment."""
        await self.call("ping")
        taken, self.calls = self.calls, []
        return taken

    async def settled(self, seconds=30):
        """The states once nothing moves any more."""
        until = time.time() + seconds
        while True:
            states = await self.states()
            if not any(state["state"] in MOVING for state in states.values()) or time.time() > until:
                return states
            await asyncio.sleep(0.2)

    async def put_back(self, base):
        """Brings the home to the states and values of `base`, by its own services."""
        states = await self.settled()
        for entity, wanted in base.items():
            now, domain = states.get(entity), entity.split(".")[0]
            if now is None or differences({entity: wanted}, {entity: now}) == []:
                continue
            attributes = wanted["attributes"]
            if domain == "climate":
                if now["state"] != wanted["state"]:
                    await self.service("climate.set_hvac_mode", entity, hvac_mode=wanted["state"])
                if attributes.get("temperature") is not None:
                    await self.service("climate.set_temperature", entity, temperature=attributes["temperature"])
                continue
            service = BACK.get((domain, wanted["state"]))
            if service is None:
                continue
            data = {}
            if domain == "light" and wanted["state"] == "on" and attributes.get("brightness"):
                data["brightness"] = attributes["brightness"]
            if domain == "fan" and wanted["state"] == "on" and attributes.get("percentage"):
                data["percentage"] = attributes["percentage"]
            await self.service(f"{domain}.{service}", entity, **data)
            if domain == "media_player" and attributes.get("volume_level") is not None:
                await self.service("media_player.volume_set", entity, volume_level=attributes["volume_level"])
                await self.service("media_player.volume_mute", entity, is_volume_muted=False)
        return await self.settled()

    async def rename(self, names, areas):
        """Names entities and areas, as users do in the settings; none resets an entity's name."""
        for entity, name in names.items():
            await self.call("config/entity_registry/update", entity_id=entity, name=name)
        for area, name in areas.items():
            await self.call("config/area_registry/update", area_id=area, name=name)

    async def add_wyoming(self, port):
        """Adds Dwell's Wyoming address as a user does; returns the conversation agent."""
        flows = "/api/config/config_entries/flow"
        _, step = await self.post(flows, {"handler": "wyoming", "show_advanced_options": False})
        _, step = await self.post(f"{flows}/{step['flow_id']}", {"host": "127.0.0.1", "port": port})
        assert step["type"] == "create_entry", step
        for _ in range(100):
            for entity in await self.call("config/entity_registry/list"):
                is_ours = entity["platform"] == "wyoming" and entity["config_entry_id"] == step["result"]["entry_id"]
                if is_ours and entity["entity_id"].startswith("conversation."):
                    return entity["entity_id"]
            await asyncio.sleep(0.2)
        raise RuntimeError("Home Assistant made no conversation agent")

    async def ask(self, agent, text, conversation=None, language="en"):
        """Sends a sentence through Home Assistant's Assist; returns the answer, whether it failed, the conversation."""
        answer = await self.call("conversation/process", text=text, agent_id=agent, conversation_id=conversation,
                                 language=language)
        response = answer["response"]
        speech = response["speech"].get("plain", {}).get("speech", "")
        return speech, response["response_type"] == "error", answer["conversation_id"]

    def run(self, command):
        """Stops it, or starts it again on the same folder and port."""
        subprocess.run([self.tool, command, self.folder, str(self.port)], check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def watched(states):
    return {entity: state for entity, state in states.items() if entity.split(".")[0] in WATCHED}


def differences(before, after):
    """The entities whose state or values differ."""
    found = []
    for entity, state in before.items():
        now = after.get(entity)
        if now is None or state["state"] != now["state"]:
            found.append(entity)
        elif any(state["attributes"].get(name) != now["attributes"].get(name) for name in ATTRIBUTES):
            found.append(entity)
    return found
