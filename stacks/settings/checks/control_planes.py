"""The tier of a control plane beside what its scheduler sends it."""

from collections.abc import Iterator

from moka.control_plane_tiers import CAPACITIES, smallest_for
from moka.mistakes import Mistake
from stacks.settings.checks import charts
from stacks.settings.environment import Environment

REQUESTS = "yunikornDefaults"
"""Of release yunikorn: where an environment sets its requests a second."""

KEYS = ("kubernetes.qps", "kubernetes.burst")


def requests(settings: Environment) -> Iterator[Mistake]:
    """Requests a second that an environment gives YuniKorn, beyond what a cluster's tier is there for."""
    values = charts.value(settings, "yunikorn", REQUESTS)
    for key in KEYS:
        number = str(values.get(key, "")) if isinstance(values, dict) else ""
        for name, cluster in settings.clusters.items():
            capacity = CAPACITIES.get(cluster.control_plane_tier)
            if capacity and number.isdecimal() and int(number) > capacity.pods_a_second:
                yield Mistake(
                    f"charts.values.yunikorn.{REQUESTS}.{key}",
                    f"is {number} requests a second, but the control plane of clusters.{name} is "
                    f"{cluster.control_plane_tier}, for {capacity.pods_a_second} pods a second; leave it "
                    f"out, or make it {smallest_for(int(number))}",
                )
