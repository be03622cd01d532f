"""Says a sentence through Home Assistant's Assist and judges what it did to the home."""

import asyncio

from home import differences, watched

# The state that an entity has, or comes to, after a service.
STATES = {
    "turn_on": ("on", "playing", "idle"), "turn_off": ("off",), "lock": ("locking", "locked"),
    "unlock": ("unlocking", "unlocked"), "close_cover": ("closing", "closed"), "open_cover": ("opening", "open"),
    "media_pause": ("paused",), "media_play": ("playing",),
}


def pairs(calls):
    """Services with each of their entities, as Home Assistant has seen them."""
    found = []
    for call in calls:
        data = call["service_data"]
        ids = data.get("entity_id") or []
        ids = [ids] if isinstance(ids, str) else ids
        others = [f"{kind} {data[kind]}" for kind in ("area_id", "device_id") if data.get(kind)]
        found += [(f"{call['domain']}.{call['service']}", entity, data) for entity in ids + others or ["nothing"]]
    return found


def is_it(call, wanted, entity):
    service, of, data = call
    values = wanted.get("data", {})
    return service == wanted["service"] and of == entity and all(data.get(name) == value for name, value in values.items())


def holds(state, wanted):
    """Whether an entity is as the call would have it."""
    domain, service = wanted["service"].split(".")
    data, attributes = wanted.get("data", {}), state["attributes"]
    if "brightness_pct" in data:
        return state["state"] == "on" and abs((attributes.get("brightness") or 0) - data["brightness_pct"] * 2.55) < 2
    if "temperature" in data:
        return attributes.get("temperature") == data["temperature"]
    return domain in ("scene", "script") or state["state"] in STATES[service]


class Speaker:
    """Speaks to a Dwell that is an agent of the home's Assist."""

    def __init__(self, home, dwell, agent, base, tally):
        self.home, self.dwell, self.agent, self.base, self.tally = home, dwell, agent, base, tally

    async def ready(self):
        """The home as it was, and Dwell knows it."""
        states = await self.home.put_back(self.base)
        await self.dwell.sees(states, [entity for entity in self.base if entity in states])
        await self.home.taken()
        return states

    async def judge(self, before, wanted):
        """Whether exactly these calls were made and the home is as they would have it, and what is not so."""
        made = pairs(await self.home.taken())
        left = [(call, entity) for call in wanted for entity in call["entities"]]
        for call in made:
            found = next((one for one in left if is_it(call, *one)), None)
            if found is None:
                return "wrong", f"it called {call[0]} on {call[1]}"
            left.remove(found)
        for _ in range(50):
            after = await self.home.states()
            late = [entity for call in wanted for entity in call["entities"]
                    if (call, entity) not in left and not holds(after[entity], call)]
            if not late:
                break
            await asyncio.sleep(0.1)
        if late:
            return "wrong", f"the home has not done it: {late}"
        named = {entity for call in wanted for entity in call["entities"] + call.get("also", [])}
        others = [entity for entity in differences(watched(before), after) if entity not in named]
        if others:
            return "wrong", f"these changed too: {others}"
        if left and made:
            return "wrong", f"only a part was done; left: {[entity for _, entity in left]}"
        return ("refused", "nothing was done") if left else ("right", "")

    async def say(self, part, sentence, language="en"):
        """Says one sentence in a conversation of its own and counts it."""
        before = await self.ready()
        text, failed, conversation = await self.home.ask(self.agent, sentence["said"], None, language)
        verdict, why = await self.judge(before, sentence["calls"])
        if sentence["kind"] == "confirm" and verdict == "right":
            is_asked = text.rstrip().endswith("?")
            verdict, why = ("right", "") if is_asked else ("refused", "it does not ask")
            if is_asked:
                no = {"de": "nein", "fr": "non", "nl": "nee"}.get(language, "no")
                await self.home.ask(self.agent, no, conversation, language)
                if (await self.judge(before, sentence.get("after_no", [])))[0] != "right":
                    verdict, why = "wrong", "it was done after a no"
        answers = sentence.get("answer")
        if answers and verdict == "right" and (failed or not any(one.lower() in text.lower() for one in answers)):
            verdict, why = "refused", "the answer is another"
        self.tally.count(part, verdict, f"{language}: {sentence['said']!r}", f"{why}; it said {text!r}")
        return text
