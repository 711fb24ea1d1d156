"""Embedders: texts in, unit vectors out, each text embedded once."""

from saferag.embedders.base import Embedder, Kind
from saferag.embedders.cached import CachedEmbedder
from saferag.embedders.default import default_retriever

__all__ = ["CachedEmbedder", "Embedder", "Kind", "default_retriever"]
