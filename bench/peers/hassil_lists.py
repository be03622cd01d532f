"""The lists of sentences about a home, read as Home Assistant reads them: by hassil, and where the installed version
has it, by its second matcher (`hassil.fuzzy`, which Home Assistant had from 2025.9 to 2026.5, for English).

    python3 -m venv target/hassil && target/hassil/bin/pip install hassil==3.12.1 home-assistant-intents==2026.10.27
    target/hassil/bin/python bench/peers/hassil_lists.py [--lists DIR]… [--dwell LOG] [--examples]

--dwell is what `cargo test -p home --test it home_lists -- --nocapture` has printed for the same lists. Right, refused
and wrong are as there: wrong is any act that was not asked for, or a part of what was. What a question is answered is not
judged here: if it is recognized as a question about something in the home, that is right.
"""

import argparse
import importlib.metadata
import json
import os
import re
from collections import Counter

import home_assistant_intents
from hassil.intents import Intents
from hassil.recognize import recognize_best

import hassil_home

LANGUAGES = ("en", "de", "es", "fr", "it", "nl")
VERDICTS = ("right", "refused", "wrong")
QUESTIONS = ("HassGet", "HassClimateGet", "HassTimerStatus", "HassShoppingListLastItems")
LISTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../crates/testkit/lists")


def second_matcher(language, intents, lists):
    """Home Assistant's second matcher, where this version and this language have one."""
    try:
        from hassil.fuzzy import FuzzyNgramMatcher, SlotCombinationInfo
        from hassil.ngram import Sqlite3NgramModel
        from home_assistant_intents import get_fuzzy_config, get_fuzzy_language
    except ImportError:
        return None
    known = get_fuzzy_language(language)
    if known is None:
        return None
    shared = get_fuzzy_config()
    models = {name: Sqlite3NgramModel(order=model.order, words={word: str(number) for word, number in model.words.items()},
                                      database_path=model.database_path) for name, model in known.ngram_models.items()}
    combinations = {name: {key: SlotCombinationInfo(context_area=info.context_area,
                                                    name_domains=set(info.name_domains) if info.name_domains else None)
                           for key, info in combos.items()} for name, combos in shared.slot_combinations.items()}
    return FuzzyNgramMatcher(intents=intents, intent_models=models, intent_slot_list_names=shared.slot_list_names,
                             slot_combinations=combinations, domain_keywords=known.domain_keywords,
                             stop_words=known.stop_words, slot_lists=lists)


class Reader:
    """Home Assistant's agent for one language in one home."""

    def __init__(self, language, home):
        self.language, self.home, self.lists = language, home, home.slot_lists()
        self.intents = Intents.from_dict(home_assistant_intents.get_intents(language))
        self.second = second_matcher(language, self.intents, self.lists)

    def read(self, said):
        """The intent and its slots, and which matcher has found it."""
        found = recognize_best(said, self.intents, slot_lists=self.lists, language=self.language, best_slot_name="name")
        if found is not None:
            return found.intent.name, {name: entity.value for name, entity in found.entities.items()}, 1
        guess = self.second.match(said) if self.second else None
        if guess is not None:
            return guess.intent_name, {name: slot.value for name, slot in guess.slots.items()}, 2
        return None, {}, 0


def is_it(made, wanted, entity):
    service, of, data = made
    def same(name, value):
        has = data.get(name)
        try:
            return abs(float(has) - float(value)) < 0.01
        except (TypeError, ValueError):
            plain = lambda text: re.sub("^a ", "", str(text).lower())
            return has is not None and plain(has) == plain(value)
    return service == wanted["service"] and of == entity and all(same(*one) for one in wanted.get("data", {}).items())


def judge(reader, sentence):
    """The verdict on a sentence, and what was read."""
    intent, slots, _ = read = reader.read(sentence["said"])
    made = hassil_home.calls(reader.home, intent, slots) if intent else []
    left = [(call, entity) for call in sentence["calls"] for entity in call.get("entities", [])]
    for one in made:
        found = next((open for open in left if is_it(one, *open)), None)
        if found is None:
            return "wrong", read, made
        left.remove(found)
    is_asked = intent is not None and intent.startswith(QUESTIONS)
    is_answered = not sentence.get("answer") or is_asked and (reader.home.match(slots) or intent != "HassGetState")
    if not left and is_answered:
        return "right", read, made
    return ("wrong" if left and made else "refused"), read, made


def dwells(log):
    """Dwell's own counts, as the test has printed them: by language and kind."""
    counts = {}
    with open(log, encoding="utf-8") as file:
        for line in file:
            found = re.match(r"\s*built-in (\w\w) (\w+) +right +(\d+) of +\d+, refused +(\d+), wrong (\d+)", line)
            if found:
                counts[found[1], found[2]] = tuple(int(number) for number in found.groups()[2:])
    return counts


def main():
    flags = argparse.ArgumentParser()
    flags.add_argument("--lists", default=os.path.join(LISTS, "home"))
    flags.add_argument("--dwell")
    flags.add_argument("--examples", action="store_true")
    given = flags.parse_args()
    version = importlib.metadata.version
    ours = dwells(given.dwell) if given.dwell else {}
    print(f"hassil {version('hassil')}, home-assistant-intents {version('home-assistant-intents')}, {os.path.basename(given.lists)}\n")
    print("| | sentences | hassil right | refused | wrong |" + (" Dwell right | refused | wrong |" if ours else ""))
    print("|---|---:|---:|---:|---:|" + ("---:|---:|---:|" if ours else ""))
    for language in LANGUAGES:
        with open(f"{given.lists}/{language}/home.json", encoding="utf-8") as file:
            reader = Reader(language, hassil_home.Home(json.load(file)))
        counts, kinds = Counter(), []
        with open(f"{given.lists}/{language}/sentences.jsonl", encoding="utf-8") as file:
            for sentence in map(json.loads, file):
                verdict, (intent, slots, by), made = judge(reader, sentence)
                if sentence["kind"] not in kinds:
                    kinds.append(sentence["kind"])
                counts[sentence["kind"], verdict] += 1
                counts["all", verdict] += 1
                if given.examples and verdict != "right":
                    print(f"{language} {sentence['kind']} {verdict}: {sentence['said']!r} -> {by} {intent} {slots} {made}")
        second = ", with the second matcher" if reader.second else ""
        for kind in [*kinds, "all"]:
            numbers = [counts[kind, verdict] for verdict in VERDICTS]
            cells = [f"{language} {kind}{second if kind == 'all' else ''}", sum(numbers), *numbers, *ours.get((language, kind), ())]
            print("| " + " | ".join(map(str, cells)) + " |")


main()
