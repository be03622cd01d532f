"""instructor: its modes for OpenAI's API, and an answer that is wrong at first.

Usage: instructor_modes.py BASE_URL KEY
"""

import sys

import instructor
from checks import ADA, PERSON_QUESTION, Person, run, same
from instructor import Mode
from openai import OpenAI

URL, KEY = sys.argv[1:]


def extract(mode, text=PERSON_QUESTION, retries=0):
    client = instructor.from_openai(OpenAI(base_url=URL, api_key=KEY, max_retries=0), mode=mode)
    messages = [{"role": "user", "content": text}]
    answer = client.chat.completions.create(
        model="dwell", messages=messages, response_model=Person, max_retries=retries
    )
    # It is of a class that instructor derives.
    same(answer.model_dump(), ADA.model_dump(), "the answer")


def tools():
    extract(Mode.TOOLS)


def tools_strict():
    extract(Mode.TOOLS_STRICT)


def json_schema():
    extract(Mode.JSON_SCHEMA)


def json():
    extract(Mode.JSON)


def markdown_json():
    extract(Mode.MD_JSON)


def corrected():
    extract(Mode.TOOLS, "Who was Ada? You may be wrong at first.", retries=2)


run(tools, tools_strict, json_schema, json, markdown_json, corrected)
