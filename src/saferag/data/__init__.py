"""Datasets: records on disk, the published format, checks, and the cases that we ship."""
