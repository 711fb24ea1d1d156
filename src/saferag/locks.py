"""Locks on single bytes of a file, held by the operating system for as long as a process lives.

A process that is killed loses its locks at once, so nothing has to be cleaned up, and no clock has to be right. The
locked byte need not exist. Locks are between processes: one process does not exclude itself.
"""

from __future__ import annotations

import os
import sys

if sys.platform == "win32":
    import msvcrt

    def lock(descriptor: int, place: int, *, wait: bool) -> bool:
        """Lock one byte; False: another process has it, and ``wait`` is not set."""
        while True:
            os.lseek(descriptor, place, os.SEEK_SET)
            try:  # LK_LOCK gives up after ten seconds
                msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
                return True
            except OSError:
                if not wait:
                    return False

    def unlock(descriptor: int, place: int) -> None:
        """Give the byte back."""
        os.lseek(descriptor, place, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def lock(descriptor: int, place: int, *, wait: bool) -> bool:
        """Lock one byte; False: another process has it, and ``wait`` is not set."""
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB), 1, place, os.SEEK_SET)
        except (BlockingIOError, PermissionError):  # POSIX allows either
            return False
        return True

    def unlock(descriptor: int, place: int) -> None:
        """Give the byte back."""
        fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, place, os.SEEK_SET)
