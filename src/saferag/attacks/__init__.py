"""Attacks: one file each, found by the registry."""

from saferag.attacks.base import Attack, AttackInfo, Target
from saferag.registry import Registry

attacks: Registry[Attack] = Registry("attack", __name__)

__all__ = ["Attack", "AttackInfo", "Target", "attacks"]
