"""LangGraph's store and checkpointer with a Dwell server behind them.

    pip install "dwell[langgraph]"

`DwellSaver` keeps the state of threads, `DwellStore` what they share, and `DwellEmbeddings` are
the server's own embeddings. All of them work with and without `await`.
"""

from __future__ import annotations

try:
    import langgraph.checkpoint.base
    import langgraph.store.base  # noqa: F401
except ImportError as error:
    raise ImportError("LangGraph is not installed: pip install 'dwell[langgraph]'") from error

from .embeddings import DwellEmbeddings
from .saver import DwellSaver
from .store import DwellStore

__all__ = ["DwellEmbeddings", "DwellSaver", "DwellStore"]
