"""Reads sentences with hassil, as Home Assistant does, and tells how long each took.

The task comes as JSON on the standard input, the result goes to the standard output.
"""

import importlib.metadata
import json
import sys
import time

from hassil.intents import Intents, TextSlotList
from hassil.recognize import recognize_best


def texts(name, values):
    found = TextSlotList.from_tuples(values, allow_template=False, name=name)
    # The index is otherwise made during the first sentence of each home.
    found.get_candidates("x")
    return found


def lists(home, more):
    named = [(entity["name"], entity["name"], {"domain": entity["domain"]}) for entity in home["entities"] + more]
    return {
        "name": texts("name", named),
        "area": texts("area", [(area["name"], area["name"]) for area in home["areas"]]),
        "floor": texts("floor", [(floor["name"], floor["name"]) for floor in home["floors"]]),
    }


def is_right(case, result):
    if result is None or result.intent.name != case["intent"]:
        return False
    names = set(result.entities)
    area = result.entities.get("area")
    if area is not None and area.value == case["context_area"] and "area" not in case["slots"]:
        names.discard("area")
    return names == set(case["slots"])


def main():
    task = json.load(sys.stdin)
    with open(task["grammar"], encoding="utf-8") as file:
        text = file.read()
    before = time.thread_time()
    parts = json.loads(text)
    intents = Intents.from_dict(parts.get("combo") or parts.get("flat") or parts)
    for intent in intents.intents.values():
        for data in intent.data:
            # Templates are otherwise parsed during the first sentence.
            data.sentences
    loaded = time.thread_time() - before

    right, seconds, fixture, known = 0, [], None, None
    for case in task["cases"]:
        if case["fixture"] != fixture:
            fixture = case["fixture"]
            known = lists(task["homes"][fixture], task["more"])
        context = {"area": case["context_area"]}
        before = time.thread_time()
        result = recognize_best(
            case["sentence"],
            intents,
            slot_lists=known,
            intent_context=context,
            language=task["language"],
            best_slot_name="name",
        )
        seconds.append(time.thread_time() - before)
        right += is_right(case, result)
    version = importlib.metadata.version("hassil")
    json.dump({"version": version, "right": right, "seconds": seconds, "load_seconds": loaded}, sys.stdout)


main()
