"""What a cluster says of itself to Archer: a ConfigMap, which its program writes and workers read."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from moka.jobs.job_target import JobTarget

CONFIG_MAP = "archer"
"""Its name, in the namespace of the Spark Operator."""

TARGET, OPERATORS = "target.json", "operators.json"


@dataclass(frozen=True, kw_only=True)
class OperatorShare:
    """A release of the Spark Operator: its job namespaces, and applications that it starts in a minute."""

    name: str
    namespaces: Sequence[str]
    applications_per_minute: float


@dataclass(frozen=True, kw_only=True)
class ClusterDocument:
    """target: what jobs have to know of the cluster. operators: who runs them, in which namespaces."""

    target: JobTarget
    operators: Sequence[OperatorShare]

    def as_data(self) -> dict[str, str]:
        """The data of the ConfigMap."""
        return {
            TARGET: json.dumps(self.target.as_outputs(), sort_keys=True),
            OPERATORS: json.dumps([asdict(operator) for operator in self.operators], sort_keys=True),
        }

    @classmethod
    def of_data(cls, data: Mapping[str, str]) -> "ClusterDocument":
        """From the data of a ConfigMap. Raises ValueError where it is none of these."""
        try:
            return cls(
                target=JobTarget.from_outputs(json.loads(data[TARGET])),
                operators=[OperatorShare(**operator) for operator in json.loads(data[OPERATORS])],
            )
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(
                f"ConfigMap {CONFIG_MAP} is not what this version reads ({error!r}): bring the cluster's "
                "stack up with the same version as Archer's"
            ) from None
