"""Ollama's own client: embeddings.

Usage: ollama_embeddings.py HOST. Exit code 0 if all is well, else 1.
"""

import sys

import ollama


def check(is_right, found):
    """Fails with what was found instead."""
    if not is_right:
        raise AssertionError(f"unexpected: {found!r}")


def main():
    """Vectors of one text, of several, and of the older call."""
    client = ollama.Client(host=sys.argv[1])
    one = client.embed(model="all-minilm", input="The cat sleeps.")
    two = client.embed(model="all-minilm", input=["The cat sleeps.", "Interest rates rose."], dimensions=384)
    old = client.embeddings(model="all-minilm", prompt="The cat sleeps.")
    check([len(vector) for vector in two.embeddings] == [384, 384], two)
    check(list(one.embeddings[0]) == list(two.embeddings[0]) == list(old.embedding), (one, two, old))
    check("embedding" in client.show("all-minilm-l6-v2").capabilities, "the model does not say what it can do")
    check("all-minilm-l6-v2:latest" in [model.model for model in client.ps().models], client.ps())


if __name__ == "__main__":
    try:
        main()
    except Exception as error:  # Whatever it was, it is said, and the exit code tells.
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
