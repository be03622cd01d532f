"""The parts in which something goes wrong, and the automation by words, which needs a model."""

import asyncio
import json
import time

import model
from parts import BED, call, command


async def automations(run):
    """An automation by words: shown, checked by the home, approved, stored, listed, explained, paused, removed."""
    part, tally, home = "automation by words", run.tally, run.home
    address, server = await model.start()
    dwell = await run.other("automations", OPENAI_BASE_URL=address, DWELL_MODEL="openai/scripted",
                            DWELL_TOOLS_ACTUATION="true")
    await dwell.until(lambda view: view["connection"] == "connected", "a connection")
    try:
        known = {entity for entity in await home.states() if entity.startswith("automation.")}
        async def automation():
            return {entity: state for entity, state in (await home.states()).items()
                    if entity.startswith("automation.") and entity not in known}

        session = await dwell.session()
        wrong = await dwell.turn(session, "Turn on the bed light when the moon rises")
        tally.check(part, "what the home does not take is not asked about, and says why",
                    wrong["status"] == "completed" and "moonrise" in wrong["text"], wrong.get("text") or wrong["status"])
        hidden = await dwell.turn(session, "Make the hidden one")
        tally.check(part, "what is not exposed is refused",
                    hidden["status"] == "completed" and "not exposed" in hidden["text"], hidden.get("text") or hidden["status"])

        words = "Turn on the bed light every night at half past eleven if the kitchen is dark"
        turn = await dwell.turn(session, words)
        asked = await dwell.approval(turn["turn_id"])
        shown = json.dumps(asked)
        tally.check(part, "it is shown as YAML before it is stored", asked is not None and
                    all(part in shown for part in ("Bed light at night", "23:30:00", "light.bed_light", "condition: state")), shown)
        tally.check(part, "nothing is stored before the answer", await automation() == {}, act=True)
        await dwell.decide(asked, "deny")
        await dwell.ended(turn["turn_id"])
        tally.check(part, "a no stores nothing", await automation() == {}, act=True)

        turn = await dwell.turn(session, words)
        await dwell.decide(await dwell.approval(turn["turn_id"]), "once")
        turn = await dwell.ended(turn["turn_id"])
        made = await automation()
        entity, state = next(iter(made.items()), (None, {"attributes": {"id": "none"}, "state": None}))
        tally.check(part, "after a yes there is one automation, and it is on", len(made) == 1 and state["state"] == "on",
                    (turn.get("text"), made), act=True)
        path = f"/api/config/automation/config/{state['attributes']['id']}"
        _, stored = await home.get(path)
        as_said = stored is not None and stored["alias"] == "Bed light at night" and "23:30:00" in json.dumps(stored) \
            and "light.bed_light" in json.dumps(stored) and state["attributes"]["id"].startswith("dwell_")
        tally.check(part, "Home Assistant's own API has it as it was shown", as_said, stored, act=True)
        await home.service("automation.trigger", entity, skip_condition=True)
        tally.check(part, "it works: triggered, it turns on the light", await home.state(BED) == "on")

        listed = await dwell.turn(session, "Which automations are there?")
        tally.check(part, "it is listed", "Bed light at night" in listed["text"] and "Guest entrance light" in listed["text"],
                    listed["text"])
        explained = await dwell.turn(session, "Explain the automation for the bed light")
        tally.check(part, "it is explained from its configuration", "23:30:00" in explained["text"], explained["text"])
        for words, state in (("Pause", "off"), ("Resume", "on")):
            turn = await allowed(dwell, session, f"{words} that automation")
            tally.check(part, f"it is {words.lower()}d", await home.state(entity) == state, turn.get("text"))
        turn = await dwell.turn(session, "Remove that automation")
        asked = await dwell.approval(turn["turn_id"])
        tally.check(part, "removing is asked about", asked is not None and len(await automation()) == 1, turn["status"])
        await dwell.decide(asked, "once")
        turn = await dwell.ended(turn["turn_id"])
        status, _ = await home.get(path)
        tally.check(part, "it is removed from Home Assistant", await automation() == {} and status == 404,
                    (turn.get("text"), status))
        tally.check(part, "the home's own automations are untouched",
                    known <= set(await home.states()) and await home.state("automation.guest_entrance_light") == "on", act=True)
    finally:
        await dwell.stop()
        await server.cleanup()


async def allowed(dwell, session, message):
    """A turn whose call is allowed if it asks: after untrusted text was read, every act asks."""
    turn = await dwell.turn(session, message)
    if turn["status"] == "waiting":
        await dwell.decide(await dwell.approval(turn["turn_id"]), "once")
        turn = await dwell.ended(turn["turn_id"])
    return turn


async def wrong_token(run):
    """A wrong token is named as such wherever a user meets it."""
    part, tally = "wrong token", run.tally
    await run.made()
    dwell = await run.other("wrong-token", HOME_ASSISTANT_TOKEN="wrong-token-of-a-test", DWELL_TOOLS_ACTUATION="true")
    try:
        view = await dwell.until(lambda view: view["connection"] != "connecting" and view.get("why"), "a reason")
        tally.check(part, "the home's view says that the token is refused", "token" in view["why"].lower(), view["why"])
        session = await dwell.session()
        for said in ("turn on the bed light", "why is the bed light off?", "is the bed light on?", "unlock the front door"):
            turn = await dwell.turn(session, said)
            tally.check(part, f"so does the answer to {said!r}", "token" in turn["text"].lower() and
                        "know of nothing" not in turn["text"], turn["text"])
        tally.check(part, "nothing was called", await run.made() == [], act=True)
        with open(f"{dwell.folder}/dwell.log", encoding="utf-8") as log:
            tally.check(part, "so does the log", "token" in log.read().lower())
    finally:
        await dwell.stop()


async def restart(run):
    """The home restarts while Dwell runs: it is said, nothing is done twice, and commands work again."""
    part, tally, home = "restart of the home", run.tally, run.home
    speaker = await run.speaker()
    await speaker.ready()
    session = await run.dwell.session()
    turn = await run.dwell.turn(session, "turn on the bed light")
    done = [(service, entity) for service, entity, _ in await run.made()]
    tally.check(part, "before it, a command works", done == [("light.turn_on", BED)], turn["text"], act=True)
    waiting = await run.dwell.turn(session, "unlock the front door")
    tally.check(part, "an approval is open", waiting["status"] == "waiting", waiting["status"])

    await home.close()
    await asyncio.to_thread(home.run, "stop")
    away = await run.dwell.turn(await run.dwell.session(), "turn off the kitchen lights")
    tally.check(part, "while it is away, a command says so", "Turned off" not in away["text"] and "reach" in away["text"], away["text"])
    view = await run.dwell.home()
    tally.check(part, "and the home's view", view["connection"] != "connected" and bool(view.get("why")), view.get("connection"))
    began = time.time()
    await asyncio.to_thread(home.run, "start")
    await home.connect()
    await run.dwell.until(lambda view: view["connection"] == "connected", "a connection", 120)
    print(f"  connected again {time.time() - began:.1f} s after the start of Home Assistant began", flush=True)
    await asyncio.sleep(3)
    tally.check(part, "nothing is done by itself afterwards", await run.made() == [], await run.made(), act=True)
    tally.check(part, "the door is locked still", await home.state("lock.front_door") == "locked", act=True)
    asked = await run.dwell.approval(waiting["turn_id"])
    if asked is not None:
        await run.dwell.decide(asked, "deny")
        await run.dwell.ended(waiting["turn_id"])
    for said, wanted in (("turn on the bed light", call("light.turn_on", BED)),
                         ("turn off the kitchen lights", call("light.turn_off", "light.kitchen_lights"))):
        await speaker.say(part, command(said, wanted))
