"""Metrics: one file each, found by the registry."""

from saferag.metrics.base import Direction, Evidence, Metric, MetricInfo
from saferag.registry import Registry

metrics: Registry[Metric] = Registry("metric", __name__)

__all__ = ["Direction", "Evidence", "Metric", "MetricInfo", "metrics"]
