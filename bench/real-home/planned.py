"""What begins by itself at a real home: delayed commands, states and events that start something, and alerts there."""

import asyncio

from parts import BED, CEILING

CHANNELS = """
[[alerts.channels]]
kind = "home"
name = "page"

[[alerts.channels]]
kind = "home"
name = "everyone"
service = "notify.send_message"
entities = ["notify.notifier"]
kinds = ["reminder"]
"""


async def planned(run):
    """Delayed commands, a state and an event of the home that start something, and alerts shown by Home Assistant."""
    part, tally, home = "planned", run.tally, run.home
    speaker = await run.speaker()
    await speaker.ready()
    dwell = await run.other("planned", config=CHANNELS, DWELL_TOOLS_ACTUATION="true")
    try:
        await dwell.until(lambda view: view["connection"] == "connected", "a connection")
        await home.service("light.turn_on", CEILING)
        await dwell.sees(await home.settled(), [CEILING])
        await home.taken()
        session = await dwell.session()
        turn = await dwell.turn(session, "turn off the ceiling lights in 4 seconds")
        tally.check(part, "a delayed command waits", await home.state(CEILING) == "on", turn["text"], act=True)
        await called(home, [("light", "turn_off")])
        tally.check(part, "and is done once, at its time", await home.state(CEILING) == "off", turn["text"], act=True)

        await when(dwell, {"on": "home", "entity_id": "switch.ac", "to": "on"},
                   {"do": "remind", "text": "The AC runs."})
        await when(dwell, {"on": "home_event", "event_type": "tag_scanned", "data": {"tag_id": "hall"}},
                   {"do": "call", "tool": "call_service", "arguments": {
                       "domain": "light", "service": "turn_on", "target": {"entity_id": [BED]}}})
        # A subscription to the home's events is made when a schedule waits for one.
        await asyncio.sleep(2)
        await home.taken()
        await home.post("/api/events/tag_scanned", {"tag_id": "garden"})
        await asyncio.sleep(1)
        tally.check(part, "an event with other data starts nothing", await home.taken() == [], act=True)
        await home.post("/api/events/tag_scanned", {"tag_id": "hall"})
        made = await called(home, [("light", "turn_on")])
        tally.check(part, "an event of the home starts its call once", len(made) == 1, made, act=True)

        await home.service("switch.turn_on", "switch.ac")
        made = await called(home, [("notify", "send_message"), ("persistent_notification", "create")])
        names = sorted((one["domain"], one["service"]) for one in made if one["domain"] != "switch")
        tally.check(part, "a state starts a reminder, delivered once by each service",
                    names == [("notify", "send_message"), ("persistent_notification", "create")], names, act=True)
        shown = await home.call("persistent_notification/get")
        tally.check(part, "Home Assistant's page shows it once",
                    sum("The AC runs." in str(one) for one in shown) == 1, shown)
    finally:
        await dwell.stop()


async def when(dwell, trigger, action):
    """Plans something that the home starts."""
    await dwell.call("/schedules", {"when": {"kind": "event", "trigger": trigger}, "action": action})


async def called(home, wanted, seconds=20):
    """Waits for these services, and a little longer for a repetition; returns all that were called."""
    made = []
    for _ in range(seconds * 5):
        made += await home.taken()
        if all(any((one["domain"], one["service"]) == name for one in made) for name in wanted):
            await asyncio.sleep(2)
            return made + await home.taken()
        await asyncio.sleep(0.2)
    return made
