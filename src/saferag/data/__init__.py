"""Datasets: records on disk, the published format, checks, and the cases that we ship."""

from saferag.data.dataset import Dataset, load_dataset

__all__ = ["Dataset", "load_dataset"]
