"""saferag: what somebody can do to a RAG system by putting text where it reads."""

__version__ = "0.1.0"

__all__ = ["__version__"]
