"""Runs the checks of a script and prints one line for each: `ok NAME`, or `failed NAME: why`.

One feature that is missing does not hide the others, and the test that runs the script compares the names.
"""

import asyncio
import inspect
import json

from pydantic import BaseModel

# Messages that the model of the tests knows, and what it knows of them.
HELLO = "Say hello."
WEATHER_QUESTION = "Which weather do Oslo and Rome have?"
PERSON_QUESTION = "Who was Ada?"
WEATHER = {"Oslo": "snow", "Rome": "sun"}


class Person(BaseModel):
    """A person."""

    name: str
    born: int


ADA = Person(name="Ada Lovelace", born=1815)


class Report(BaseModel):
    """A report of the weather."""

    summary: str


def same(actual, expected, what):
    """Fails if a value is another one."""
    assert actual == expected, f"{what} is {actual!r}, not {expected!r}"


def is_report(text):
    """Fails if an answer does not tell the weather of both cities."""
    assert "snow" in text and "sun" in text, f"the results are not in the answer {text!r}"


def raises(kind, action):
    """The error that an action has to end with."""
    try:
        done = action()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} is expected, not {done!r}")


def run(*checks):
    """Runs functions without arguments, by their names."""
    for check in checks:
        try:
            result = check()
            if inspect.isawaitable(result):
                asyncio.run(result)
        except Exception as error:
            why = " ".join(f"{type(error).__name__}: {error}".split())
            print(f"failed {check.__name__}: {json.dumps(why[:600])}", flush=True)
        else:
            print(f"ok {check.__name__}", flush=True)
