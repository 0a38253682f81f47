"""Settings of the database of the platform's services."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from moka.documents import Form, Section

VERSION = "16.11"
"""Of PostgreSQL, as Aurora has it:
https://docs.aws.amazon.com/AmazonRDS/latest/AuroraPostgreSQLReleaseNotes/AuroraPostgreSQL.Updates.html
"""


def _half(capacity: float) -> float:
    if capacity * 2 % 1:
        raise ValueError(f"is {capacity:g}; write it in steps of a half, such as 0.5 or 4")
    return capacity


def _time(text: str) -> str:
    try:
        datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        raise ValueError(f"is {text!r}; write a time in UTC as 2026-11-24T01:05:00Z, in quotes") from None
    return text


Capacity = Annotated[float, Field(ge=0, le=256), AfterValidator(_half)]
ClusterIdentifier = Annotated[
    str,
    Form(
        r"(?=.{1,63}$)[a-z](-?[a-z0-9])*",
        "write the identifier of a database cluster: lower case, digits and single dashes",
    ),
]
SnapshotName = Annotated[
    str,
    Form(
        r"(arn:aws[a-z-]*:rds:[a-z0-9-]+:[0-9]{12}:cluster-snapshot:)?(rds:)?[A-Za-z][A-Za-z0-9-]{0,254}",
        "write the name of a cluster's snapshot, or its ARN where another account shares it",
    ),
]


class RestoreFrom(Section):
    """What a new database begins with, in place of nothing."""

    snapshot: SnapshotName | None = Field(default=None, description="Snapshot of a cluster; or set cluster.")
    cluster: ClusterIdentifier | None = Field(
        default=None, description="Identifier of a cluster of the same account and region; or set snapshot."
    )
    time: Annotated[str, AfterValidator(_time)] | None = Field(
        default=None,
        description="Of `cluster`, in UTC, as 2026-11-24T01:05:00Z; by default the last that there is.",
    )

    @model_validator(mode="after")
    def _one_source(self) -> "RestoreFrom":
        if (self.snapshot is None) == (self.cluster is None):
            raise ValueError("needs either `snapshot` or `cluster`; set one of the two")
        if self.time is not None and self.cluster is None:
            raise ValueError("has a time, which only a cluster can be restored to: name the cluster")
        return self


class Database(Section):
    """PostgreSQL of the platform's services, on Aurora: one an environment, beside its home cluster."""

    version: Annotated[
        str,
        Form(
            r"1[6-9]\.[0-9]{1,2}", "write a version of Aurora PostgreSQL from 16 on, such as 16.11, in quotes"
        ),
    ] = Field(default=VERSION, description="Version of PostgreSQL, as Aurora has it.")
    generation: int = Field(
        default=1,
        ge=1,
        le=999,
        description="Number of the database; one more makes another beside it, such as one that is restored.",
    )
    restore_from: RestoreFrom | None = Field(
        default=None, description="What a new generation is restored from; without effect on an existing one."
    )
    instances: int = Field(
        default=2, ge=1, le=3, description="Instances: one writer, the others on standby in other zones."
    )
    instance_class: Annotated[
        str,
        Form(r"db\.(serverless|[a-z0-9]+\.[a-z0-9]+)", "write a class such as db.serverless or db.r8g.large"),
    ] = Field(
        default="db.serverless",
        description="Class of all instances; that of a serverless one is its capacity.",
    )
    minimum_capacity: Capacity = Field(
        default=0.5, description="ACUs of a serverless instance at least; with 0 it pauses when it is idle."
    )
    maximum_capacity: Annotated[Capacity, Field(ge=1)] = Field(
        default=8, description="ACUs at most, of 2 GiB of memory each."
    )
    backup_days: int = Field(
        default=14, ge=1, le=35, description="Days back to any second of which it can be restored."
    )
