"""The embedding model of a Dwell server, as LangChain wants it."""

from __future__ import annotations

import asyncio

from langchain_core.embeddings import Embeddings

from ..client import Dwell
from ..errors import DwellError, Refused
from ..sync import SyncClient
from .blocking import rest_of

#: Texts of one request.
TEXTS_MAX = 256


class DwellEmbeddings(Embeddings):
    """Embeddings that the server computes. Its owner gets the model with `dwell setup`."""

    def __init__(self, client: Dwell | SyncClient) -> None:
        """The embeddings of a client's server."""
        self._rest = rest_of(client)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts. What is longer than the model reads is cut off."""
        vectors: list[list[float]] = []
        for start in range(0, len(texts), TEXTS_MAX):
            # The model refuses empty texts.
            part = [text or " " for text in texts[start : start + TEXTS_MAX]]
            try:
                answer = self._rest.call("POST", "/api/embed", body={"model": "dwell", "input": part})
            except Refused as error:
                raise DwellError(
                    f"the server cannot embed texts: {error.message}; run `dwell setup` on its machine and restart it, "
                    "or give the store an `index` with other embeddings"
                ) from error
            vectors.extend(answer["embeddings"])
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Embed a question."""
        return self.embed_documents([text])[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts."""
        return await asyncio.to_thread(self.embed_documents, texts)

    async def aembed_query(self, text: str) -> list[float]:
        """Embed a question."""
        return await asyncio.to_thread(self.embed_query, text)
