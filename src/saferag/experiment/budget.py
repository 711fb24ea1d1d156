"""How many failures a run may meet before it stops or counts as failed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from saferag.errors import SafeRAGError
from saferag.types import Failure

# What a model does with a request is a result; these are outages, and a run that meets too many of them stops.
OUTAGES = frozenset({"timeout", "rate_limited", "server_error", "rejected"})


class ErrorBudgetError(SafeRAGError):
    """More calls failed than the user allows, or none was of use. What was finished is in the run's folder."""


@dataclass(slots=True)
class ErrorBudget:
    """Stops a run that meets too many outages.

    Attributes:
        share: Allowed share of the cases.
        total: Cases of the run.
        failed: Cases with an outage so far.
        unanswered: Cases without an answer so far, for whatever reason.
        last: The last failure, for the message.
    """

    share: float
    total: int
    failed: int = 0
    unanswered: int = 0
    last: Failure | None = None

    def count(self, failures: Iterable[Failure]) -> None:
        """Take in the failures of one case.

        Raises:
            ErrorBudgetError: The budget is spent. A run is never stopped by its first few failures alone.
        """
        found = list(failures)
        self.unanswered += any(f.step != "judge" for f in found)
        outages = [f for f in found if f.kind in OUTAGES]
        if found:
            self.last = (outages or found)[-1]
        if outages:
            self.failed += 1
            if self.failed >= 5 and self._is_spent:
                self.settle()

    def settle(self) -> None:
        """Judge the run as a whole.

        Raises:
            ErrorBudgetError: More cases had an outage than allowed, or not one case has an answer.
        """
        last = f"; the last one: {self.last.step}: {self.last.message}" if self.last else ""
        if self._is_spent:
            allowed = f"more than --max-errors allows ({self.share:.0%})"
            raise ErrorBudgetError(f"{self.failed} of {self.total} cases failed, {allowed}{last}")
        if self.total and self.unanswered == self.total:
            raise ErrorBudgetError(f"none of {self.total} cases has an answer{last}")

    @property
    def _is_spent(self) -> bool:
        return self.failed > self.share * self.total
