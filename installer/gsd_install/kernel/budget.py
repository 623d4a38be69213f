"""What a budget allows, and the refusal when that is not enough."""

from __future__ import annotations

from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_LARGEST = 5


class BudgetError(GsdError):
    """The fragments do not fit, whatever the composer chooses.

    `required` units would do, `available` are there. `contributors` are the dearest fragments at their
    lowest renditions, with their prices; `fits` are the ids that fit together once the dearest are gone.
    """

    def __init__(
        self,
        *,
        required: int,
        available: int,
        unit: str,
        contributors: tuple[tuple[str, int], ...],
        fits: tuple[str, ...],
    ) -> None:
        largest = ", ".join(f"{name} ({cost:,})" for name, cost in contributors[:_LARGEST])
        super().__init__(
            f"{required:,} {unit} are needed and {available:,} allowed",
            reason="over_budget",
            hint=f"shorten the largest: {largest}" if largest else f"allow {required:,} {unit}",
        )
        self.required = required
        self.available = available
        self.unit = unit
        self.contributors = contributors
        self.fits = fits


def allowed(budget: int, reserve: int, margin: int) -> int:
    """The budget less `margin` percent. Raises GsdError (reason `bad_budget`) for senseless numbers."""
    for name, value in (("budget", budget), ("reserve", reserve), ("margin", margin)):
        if type(value) is not int or value < 0:
            raise GsdError(f"the {name} must be a whole number of units, not {value!r}", reason="bad_budget")
    if margin >= 100:
        raise GsdError(f"a margin of {margin} % leaves nothing of the budget", reason="bad_budget")
    return budget * (100 - margin) // 100


def refusal(costs: Mapping[str, int], required: int, available: int, unit: str) -> BudgetError:
    """The error for fragments that cost `costs` at their lowest and `required` together."""
    dearest = sorted(costs, key=lambda name: (-costs[name], name))
    excess, gone = required - available, 0
    while gone < len(dearest) and excess > 0:
        excess -= costs[dearest[gone]]
        gone += 1
    heavy = set(dearest[:gone])
    return BudgetError(
        required=required,
        available=available,
        unit=unit,
        contributors=tuple((name, costs[name]) for name in dearest[: max(gone, _LARGEST)]),
        fits=tuple(name for name in costs if name not in heavy),
    )
