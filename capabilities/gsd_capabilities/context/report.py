"""What is told about a context: the figures of its budget, its pools, what became of each section."""

from __future__ import annotations

from gsd_capabilities.context.pools import STATE_SHARES, divided
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gsd_capabilities.context.pools import Lending
    from gsd_install.kernel.budget import BudgetError


class Budget(NamedTuple):
    """The figures of one text, in tokens; `exact` says whether they were counted or estimated."""

    total: int
    available: int
    window: int
    exact: bool

    @property
    def over(self) -> bool:
        return self.total > self.available

    @property
    def over_by(self) -> int:
        return max(self.total - self.available, 0)

    @property
    def utilisation(self) -> float:
        """The part of what is available that is used."""
        return self.total / self.available

    @property
    def utilisation_of_window(self) -> float:
        return self.total / self.window

    def told(self) -> dict[str, object]:
        """The figures by name, for JSON."""
        return {
            "total": self.total,
            "available": self.available,
            "over": self.over,
            "over_by": self.over_by,
            "utilisation": round(self.utilisation, 4),
            "utilisation_of_window": round(self.utilisation_of_window, 4),
            "exact": self.exact,
        }


class Choice(NamedTuple):
    """What became of one section: `full`, `summary`, `newest`, `pointer` or `omitted`, its costs, why."""

    id: str
    title: str
    role: str
    tier: str
    priority: int
    rendition: str
    best: int
    cost: int
    reason: str


class Survey(NamedTuple):
    """A context in full, as it was before anything was cut.

    `trigger` is empty when there is no reason to cut, else `forced`, `preventive`, `projected` or
    `requested`; `aim` is how many tokens to come down to. `absent` says for each source that gave nothing,
    and each section without a place, why.
    """

    before: Budget
    trigger: str
    aim: int
    stages: tuple[str, ...]
    pools: Mapping[str, int]
    need: Mapping[str, int]
    lending: Lending
    absent: Mapping[str, str]

    def told(self) -> dict[str, object]:
        """The survey for JSON."""
        return {
            "before": self.before.told(),
            "trigger": self.trigger or None,
            "aim": self.aim,
            "stages": list(self.stages),
            "pools": self.told_pools(),
            "absent": dict(self.absent),
        }

    def told_pools(self) -> dict[str, object]:
        """Each pool: its size, what it needs, what it borrowed and what nobody could lend.

        Plan, session and git share the pool of the state; its split says what is meant for each.
        """
        lent = self.lending
        told: dict[str, dict[str, object]] = {
            name: {
                "size": size,
                "need": self.need.get(name, 0),
                "borrowed": lent.borrowed.get(name, 0),
                "lacking": lent.lacking.get(name, 0),
            }
            for name, size in self.pools.items()
        }
        told["state"]["split"] = divided(self.pools["state"], STATE_SHARES)
        return dict(told)


class Report(NamedTuple):
    """What was surveyed, what was returned, what became of each section, whose mentions were repaired."""

    survey: Survey
    after: Budget
    choices: tuple[Choice, ...]
    repaired: tuple[str, ...]

    def told(self) -> dict[str, object]:
        """The report for JSON."""
        return {
            **self.survey.told(),
            "after": self.after.told(),
            "repaired": list(self.repaired),
            "sections": [one._asdict() for one in self.choices],
        }


class BudgetExceededError(GsdError):
    """What may not be cut does not fit, so nothing was cut.

    `required` and `available` are tokens of the context, `window` the smallest window that would do with
    the same reserve. `contributors` are the dearest pieces with their costs, `fits` what would fit.
    """

    def __init__(self, error: BudgetError, available: int, reserve: int) -> None:
        largest = ", ".join(f"{name} ({cost:,})" for name, cost in error.contributors[:5])
        super().__init__(
            f"the context needs {error.required:,} tokens and {available:,} are available",
            reason="budget_exceeded",
            hint=f"allow a window of {error.required + reserve:,}, or shorten the largest: {largest}",
        )
        self.required = error.required
        self.available = available
        self.over_by = error.required - available
        self.window = error.required + reserve
        self.contributors = error.contributors
        self.fits = error.fits
