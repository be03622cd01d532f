"""The parts of the run that are spoken: compounds, two satellites, sentences of one's own, six languages."""

import asyncio
import json
import os

from dwell import Satellite

LANGUAGES = ("en", "de", "es", "fr", "it", "nl")
HERE = os.path.dirname(os.path.abspath(__file__))


def call(service, *entities, **data):
    return {"service": service, "entities": list(entities), "data": data}


def command(said, *calls, kind="command", **more):
    return {"said": said, "kind": kind, "calls": list(calls), **more}


BED, KITCHEN, CEILING = "light.bed_light", "light.kitchen_lights", "light.ceiling_lights"
DOOR, FRONT = "lock.kitchen_door", "lock.front_door"

COMPOUNDS = (
    command("turn on the bed light and lock the kitchen door", call("light.turn_on", BED), call("lock.lock", DOOR)),
    command("turn off the kitchen lights and the ceiling lights", call("light.turn_off", KITCHEN, CEILING)),
    command("turn on the bed light, close the living room window and set the ceiling lights to 30 percent",
            call("light.turn_on", BED), call("cover.close_cover", "cover.living_room_window"),
            call("light.turn_on", CEILING, brightness_pct=30)),
    command("please switch the AC on and then turn the kitchen lights off", call("switch.turn_on", "switch.ac"),
            call("light.turn_off", KITCHEN)),
    command("set the heatpump to 23 degrees and pause the walkman",
            call("climate.set_temperature", "climate.heatpump", temperature=23),
            call("media_player.media_pause", "media_player.walkman")),
    command("turn on the living room fan and turn off the decorative lights", call("fan.turn_on", "fan.living_room_fan"),
            call("switch.turn_off", "switch.decorative_lights")),
    # One that is not clear: nothing at all is done.
    command("turn on the bed light and levitate the ceiling lights"),
    command("turn on the bed light and the disco ball"),
    command("turn off the kitchen lights and don't lock the kitchen door"),
    # What needs an approval keeps the whole sentence waiting; a no is about the door alone.
    command("turn off the kitchen lights and unlock the front door", kind="confirm",
            after_no=[call("light.turn_off", KITCHEN)]),
)


async def compounds(run):
    """Two or three commands in one sentence, through Home Assistant's Assist."""
    speaker = await run.speaker()
    for sentence in COMPOUNDS:
        text = await speaker.say("compound commands", sentence)
        named = [entity for one in sentence["calls"] for entity in one["entities"]]
        if named:
            told = [entity for entity in named if run.names[entity].lower() in text.lower()]
            run.tally.check("compound commands", f"the answer to {sentence['said']!r} has each part", told == named, text)


async def languages(run):
    """Commands, questions, negations, conditions and approvals in six languages, with names in that language."""
    speaker = await run.speaker()
    for language in LANGUAGES:
        with open(f"{HERE}/languages/{language}.json", encoding="utf-8") as file:
            listed = json.load(file)
        await run.home.rename(listed["names"], listed["areas"])
        names = {name for name in [*listed["names"].values(), *listed["areas"].values()] if name}
        await run.dwell.until(lambda view: names <= {one["name"] for one in view["entities"] + view["areas"]},
                              f"names in {language}")
        for sentence in listed["sentences"]:
            await speaker.say(f"language {language}", sentence, language)
    with open(f"{HERE}/languages/en.json", encoding="utf-8") as file:
        listed = json.load(file)
    await run.home.rename(listed["names"], listed["areas"])


async def satellites(run):
    """Two satellites are asked at once; each answers its own question, and other sentences are handled meanwhile."""
    part, tally, home = "two satellites", run.tally, run.home
    speaker = await run.speaker()
    for conversation in ({"conversation_id": "both"}, None):
        await speaker.ready()
        await home.service("lock.lock", DOOR)
        await run.dwell.sees(await home.settled(), [DOOR])
        await home.taken()
        named = "one conversation" if conversation else "a conversation each"
        kitchen, hall = (Satellite(run.dwell.wyoming, satellite_id=f"assist_satellite.{name}",
                                   **(conversation or {"conversation_id": name})) for name in ("kitchen", "hall"))
        asked = await asyncio.gather(kitchen.say("Unlock the kitchen door."), hall.say("Unlock the front door."))
        tally.check(part, f"both are asked at once, {named}",
                    [text for _, text in asked] == ["Shall I unlock the kitchen door?", "Shall I unlock the front door?"], asked)
        between = await asyncio.gather(kitchen.say("Turn on the bed light."), hall.say("Is the bed light on?"))
        tally.check(part, f"other sentences are handled meanwhile, {named}",
                    [kind for kind, _ in between] == ["handled", "handled"] and await home.state(BED) == "on", between)
        done = [(service, entity) for service, entity, _ in await run.made()]
        tally.check(part, f"nothing else was done before the answers, {named}", done == [("light.turn_on", BED)], done, act=True)
        answers = await asyncio.gather(kitchen.say("No."), hall.say("Yes, please."))
        await home.settled()
        states = [await home.state(DOOR), await home.state(FRONT)]
        done = [(service, entity) for service, entity, _ in await run.made()]
        tally.check(part, f"no and yes count for the door that each was asked about, {named}",
                    done == [("lock.unlock", FRONT)] and states == ["locked", "unlocked"], (answers, done, states), act=True)
        again = await kitchen.say("Yes.")
        done = await run.made()
        tally.check(part, f"a yes without a question does nothing, {named}", done == [], (again, done), act=True)
        await home.service("lock.lock", FRONT)
        await home.settled()
    await through_assist(run, speaker, part)


async def through_assist(run, speaker, part):
    """The same question through Home Assistant's Assist, where all satellites are one address."""
    tally, home = run.tally, run.home
    await speaker.ready()
    text, _, conversation = await home.ask(speaker.agent, "unlock the front door")
    tally.check(part, "through Assist: it is asked", text == "Shall I unlock the front door?", text)
    text, failed, _ = await home.ask(speaker.agent, "turn on the bed light", conversation)
    tally.check(part, "through Assist: another sentence is handled", not failed and await home.state(BED) == "on", text)
    await run.made()
    text, failed, _ = await home.ask(speaker.agent, "yes", conversation)
    await home.settled()
    done = [(service, entity) for service, entity, _ in await run.made()]
    tally.check(part, "through Assist: a yes unlocks that door and nothing else",
                done == [("lock.unlock", FRONT)] and await home.state(FRONT) == "unlocked", (text, done), act=True)

    await speaker.ready()
    await home.service("lock.lock", DOOR)
    await run.dwell.sees(await home.settled(), [DOOR])
    await run.made()
    asked = await asyncio.gather(*(home.ask(speaker.agent, f"unlock the {door} door") for door in ("front", "kitchen")))
    tally.check(part, "through Assist: two are asked at once",
                [one[0] for one in asked] == ["Shall I unlock the front door?", "Shall I unlock the kitchen door?"], asked)
    # Nothing tells these two apart, so neither yes may open the other's door.
    text, _, _ = await home.ask(speaker.agent, "yes", asked[0][2])
    done = await run.made()
    tally.check(part, "through Assist: a yes that could be meant for either is asked about again",
                done == [] and text.endswith("door?"), (text, done), act=True)
    for _ in range(2):
        await home.ask(speaker.agent, "no", asked[0][2])
    done = await run.made()
    tally.check(part, "through Assist: a no opens nothing", done == [], done, act=True)


GLOW = """language: en
intents:
  HassTurnOn:
    data:
      - sentences:
          - "let {name} glow"
          - "let there be light [in] <where>"
        slots:
          domain: light
expansion_rules:
  where: "[the] {area}"
"""


async def own_sentences(run):
    """A file of the user's own sentences is understood without a restart, and a wrong one is named."""
    part, tally = "own sentences", run.tally
    speaker = await run.speaker()
    folder = f"{run.dwell.folder}/data/custom_sentences/en"
    glow = command("let bed light glow", call("light.turn_on", BED))
    before = await speaker.ready()
    await run.home.ask(speaker.agent, glow["said"])
    tally.check(part, "not understood before there is a file", (await speaker.judge(before, []))[0] == "right", act=True)
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/wrong.yaml", "w", encoding="utf-8") as file:
        file.write("language: en\nintents:\n  Levitate:\n    data: []\n")
    view = await run.dwell.until(lambda view: view.get("notices"), "a wrong file is named")
    tally.check(part, "a wrong file is named with its line", "wrong.yaml:3" in json.dumps(view["notices"]), view["notices"])
    with open(f"{folder}/mine.yaml", "w", encoding="utf-8") as file:
        file.write(GLOW)
    os.remove(f"{folder}/wrong.yaml")
    await run.dwell.until(lambda view: not view.get("notices"), "the file is read")
    await speaker.say(part, glow)
    await speaker.say(part, command("let there be light in the bedroom", call("light.turn_on", BED)))
    # A sentence of one's own makes no word of it a filler elsewhere.
    await speaker.say(part, command("let there be no light in the bedroom"))
    await speaker.say(part, command("let kitchen door glow"))
    os.remove(f"{folder}/mine.yaml")
    await asyncio.sleep(5)
    await speaker.say(part, command("let bed light glow"))
