"""OpenAI's own client: embeddings.

Usage: openai_embeddings.py BASE_URL KEY. Exit code 0 if all is well, else 1.
"""

import sys

import openai

MODEL = "all-minilm-l6-v2"


def check(is_right, found):
    """Fails with what was found instead."""
    if not is_right:
        raise AssertionError(f"unexpected: {found!r}")


def main():
    """Vectors as floats, and as the bytes that the client asks for by itself."""
    base_url, key = sys.argv[1:]
    client = openai.OpenAI(base_url=base_url + "/v1", api_key=key, max_retries=0)
    texts = ["The cat sleeps.", "Interest rates rose."]
    by_bytes = client.embeddings.create(model=MODEL, input=texts)
    by_floats = client.embeddings.create(model=MODEL, input=texts, encoding_format="float")
    for one, other in zip(by_bytes.data, by_floats.data):
        check(len(one.embedding) == 384, one)
        check(max(abs(a - b) for a, b in zip(one.embedding, other.embedding)) < 1e-6, (one, other))
    check(by_bytes.usage.prompt_tokens > 0, by_bytes.usage)
    short = client.embeddings.create(model=MODEL, input=texts[0], dimensions=128)
    check(len(short.data[0].embedding) == 128, short)
    check(MODEL in [model.id for model in client.models.list()], "the embedding model is not listed")
    try:
        client.embeddings.create(model=MODEL, input=[1, 2, 3])
        raise AssertionError("tokens were taken")
    except openai.BadRequestError as error:
        check(error.param == "input", error)


if __name__ == "__main__":
    try:
        main()
    except Exception as error:  # Whatever it was, it is said, and the exit code tells.
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
