"""Ollama's own client: chats with a format and with thinking, generated texts, and models.

Usage: ollama_client.py HOST. Exit code 0 if all is well, else 1.

It expects a model that answers with a JSON object with `city` where the message asks for a city, and otherwise reasons before
it answers "It is 42."
"""

import json
import sys

import ollama

REASONS = "openai/o3"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def check(is_right, found):
    """Fails with what was found instead."""
    if not is_right:
        raise AssertionError(f"unexpected: {found!r}")


def chats(client):
    """In a form, and with reasoning, whole and streamed."""
    asked = [{"role": "user", "content": "Name a city."}]
    for form in (SCHEMA, "json"):
        answer = client.chat(model="dwell", messages=asked, format=form)
        check(json.loads(answer.message.content) == {"city": "Oslo"}, answer)
    asked = [{"role": "user", "content": "What is 6 times 7?"}]
    answer = client.chat(model=REASONS, messages=asked, think=True)
    check((answer.message.thinking, answer.message.content) == ("Six sevens.", "It is 42."), answer)
    pieces = list(client.chat(model=REASONS, messages=asked, think=True, stream=True))
    thinking = "".join(piece.message.thinking or "" for piece in pieces)
    content = "".join(piece.message.content or "" for piece in pieces)
    check((thinking, content, pieces[-1].done) == ("Six sevens.", "It is 42.", True), pieces)


def texts(client):
    """Generated texts, whole and streamed, with what older clients send along."""
    answer = client.generate(model=REASONS, prompt="What is 6 times 7?", think=True, context=[1, 2, 3])
    check((answer.thinking, answer.response) == ("Six sevens.", "It is 42."), answer)
    pieces = list(client.generate(model="dwell", prompt="Name a city.", format=SCHEMA, stream=True))
    check(json.loads("".join(piece.response for piece in pieces)) == {"city": "Oslo"}, pieces)


def models(client):
    """Models are listed and there, and are not changed."""
    names = [model.model for model in client.list().models]
    check(names[0] == "dwell:latest" and client.ps().models[0].model == "dwell:latest", names)
    check(client.pull("dwell").status == "success", names)
    for refused in (lambda: client.pull("llama3"), lambda: client.create("mine", from_="dwell"), lambda: client.delete("dwell")):
        try:
            refused()
            raise AssertionError("a model was changed")
        except ollama.ResponseError as error:
            check("dwell models" in error.error and error.status_code == 400, error)


def main():
    """Tries everything."""
    client = ollama.Client(host=sys.argv[1])
    chats(client)
    texts(client)
    models(client)


if __name__ == "__main__":
    try:
        main()
    except Exception as error:  # Whatever it was, it is said, and the exit code tells.
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
