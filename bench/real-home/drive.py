"""Starts Dwell against a real Home Assistant, speaks to it as users do, and looks at the home. Started by real-home.sh."""

import argparse
import asyncio
import shutil
import signal
import sys
import time

import failures
import parts
import planned
from dwell import Dwell
from home import Home, watched
from spoken import Speaker, pairs
from tally import Tally

PARTS = {
    "compounds": parts.compounds, "satellites": parts.satellites, "own-sentences": parts.own_sentences,
    "automations": failures.automations, "wrong-token": failures.wrong_token, "restart": failures.restart,
    "planned": planned.planned, "languages": parts.languages,
}
# Home Assistant does not expose these to assistants by itself.
EXPOSED = ("lock.kitchen_door", "lock.front_door", "script.good_night", "cover.garage_door", "sensor.outside_temperature")


class Run:
    def __init__(self, given):
        self.given, self.tally = given, Tally()
        self.home = Home(given.tool, f"{given.dir}/home", given.port)
        self.dwell, self.agent, self.base, self.names = None, None, {}, {}
        self.started = []

    async def other(self, name, **settings):
        """Another Dwell for the same home."""
        folder = f"{self.given.dir}/{name}"
        shutil.rmtree(folder, ignore_errors=True)
        dwell = Dwell(self.given.dwell, folder)
        self.started.append(dwell)
        home = {"HOME_ASSISTANT_URL": self.home.url, "HOME_ASSISTANT_TOKEN": self.home.token}
        await dwell.start(**(home | settings))
        return dwell

    async def speaker(self):
        return Speaker(self.home, self.dwell, self.agent, self.base, self.tally)

    async def made(self):
        """The services that were called since the last look."""
        return pairs(await self.home.taken())

    async def begin(self):
        await self.home.connect()
        await self.home.call("homeassistant/expose_entity", assistants=["conversation"], entity_ids=list(EXPOSED),
                             should_expose=True)
        for service, entity, data in (
            ("light.turn_off", "light.bed_light", {}), ("light.turn_on", "light.ceiling_lights", {"brightness": 180}),
            ("light.turn_on", "light.kitchen_lights", {"brightness": 180}), ("lock.lock", "lock.front_door", {}),
            ("lock.unlock", "lock.kitchen_door", {}), ("climate.set_temperature", "climate.heatpump", {"temperature": 20}),
            ("cover.open_cover", "cover.living_room_window", {}), ("media_player.media_play", "media_player.walkman", {}),
            ("switch.turn_off", "switch.ac", {}), ("switch.turn_on", "switch.decorative_lights", {}),
            ("fan.turn_off", "fan.living_room_fan", {}), ("siren.turn_off", "siren.siren", {}),
        ):
            await self.home.service(service, entity, **data)
        states = await self.home.settled()
        self.base = watched(states)
        self.names = {entity: state["attributes"].get("friendly_name", entity) for entity, state in states.items()}
        self.dwell = await self.other("dwell", DWELL_TOOLS_ACTUATION="true", DWELL_WYOMING_APPROVE="true")
        view = await self.dwell.until(lambda view: view["connection"] == "connected", "a connection")
        config = await self.home.call("get_config")
        self.agent = await self.home.add_wyoming(self.dwell.wyoming)
        print(f"Home Assistant {config['version']}, {len(states)} entities, of which Dwell sees {len(view['entities'])}; "
              f"agent {self.agent}", flush=True)

    async def end(self):
        for dwell in self.started:
            await dwell.stop()
        await self.home.close()


async def main():
    flags = argparse.ArgumentParser()
    for flag in ("dir", "dwell", "tool"):
        flags.add_argument("--" + flag, required=True)
    flags.add_argument("--port", type=int, required=True)
    flags.add_argument("--only", default="")
    given = flags.parse_args()
    chosen = given.only.split(",") if given.only else list(PARTS)
    if unknown := [name for name in chosen if name not in PARTS]:
        sys.exit(f"there is no part {unknown[0]}; there are {', '.join(PARTS)}")
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asyncio.current_task().cancel)
    run, began = Run(given), time.time()
    try:
        await run.begin()
        for name in chosen:
            print(f"{name}: {PARTS[name].__doc__}", flush=True)
            await PARTS[name](run)
    finally:
        await run.end()
    run.tally.print()
    for failure in run.tally.failures:
        print(f"did not hold: {failure}")
    print(f"{run.tally.wrong()} wrong acts, in {time.time() - began:.0f} s", flush=True)
    return 1 if run.tally.wrong() or run.tally.failures else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
