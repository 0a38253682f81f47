"""What Archer is told of its environment, in a file: the platform's program writes it, Archer reads it."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from moka.names import DATABASE_NAME
from moka.submission.rights import ANY, Action, Policy, Right

REQUEST_DAYS = 7
"""For so long a request that comes again gets the same job."""


class Part(BaseModel):
    """A part of the configuration; keys that this version does not know are those of a later one."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="ignore", frozen=True)


class DatabaseAccess(Part):
    """Where the database is.

    url: as libpq has it: `postgresql://archer@<host>:<port>/archer?sslmode=verify-full&sslrootcert=<file>`.
    region: of AWS, where it takes tokens of IAM; None where it takes none.
    master_secret: ARN of the secret by which the keeper enters as the first user; None where the user of the
    URL owns the tables.
    first_database: that is there before Archer's own.
    """

    url: str
    region: str | None = None
    master_secret: str | None = None
    first_database: str = DATABASE_NAME


class ClusterAccess(Part):
    """A cluster and how it is entered.

    eks: its name in EKS, which says where its API server is. region: of it.
    role: ARN of the role in the cluster's account to take on for it.
    """

    eks: str
    region: str
    role: str


class RightEntry(Part):
    """A right, as moka/submission/rights.py has it."""

    who: str
    may: Sequence[Action]
    organization: str = ANY
    project: str = ANY
    tiers: Sequence[Literal[1, 2, 3]] = (1, 2, 3)


class RateLimit(Part):
    """Requests of one principal: a second, and at once."""

    a_second: float = 50.0
    at_once: float = 200.0


class OidcWay(Part):
    """Tokens of an issuer of OpenID Connect. audience: `aud` of those that are for Archer."""

    issuer: str
    audience: str
    name_claim: str = "preferred_username"
    groups_claim: str = "groups"


class ProxyWay(Part):
    """Headers of a proxy, in lower case. certificate_name: alternative name in its certificate."""

    certificate_name: str
    user_header: str = "x-forwarded-user"
    groups_header: str = "x-forwarded-groups"


class IamWay(Part):
    """Presigned requests to STS. region: of the STS that is asked."""

    region: str


class Authentication(Part):
    """The ways in which a request may prove who sends it; without one, nobody is let in."""

    oidc: OidcWay | None = None
    proxy: ProxyWay | None = None
    iam: IamWay | None = None


class Tls(Part):
    """Where proxies come, besides the service's own port.

    certificate, key: files of the service's own. proxies: file with the authority of theirs.
    """

    port: int
    certificate: str
    key: str
    proxies: str


class LogsPlace(Part):
    """Where the logs of a cluster's jobs are (moka/log_keys.py), and how late they may be there.

    bucket: that the service may list and read, below `folder`. region: of it. folder: name of the cluster in
    EKS.
    """

    bucket: str
    region: str
    folder: str
    drivers_behind_seconds: int = 60
    executors_behind_seconds: int = 300


HISTORY_PREFIX = "archer/history"
"""Of the keys of jobs of long ago."""


class HistoryPlace(Part):
    """Where history goes, and when.

    bucket: in S3, of this region. prefix: of its keys. days: for so long at least the database keeps a job.
    """

    bucket: str
    region: str
    prefix: str = HISTORY_PREFIX
    days: int = Field(default=90, ge=REQUEST_DAYS)


class PlanDays(Part):
    """How long plans are kept: days since one was in force, and since one was proposed that never was."""

    in_force: int = 400
    proposed: int = 90


class TracesPlace(Part):
    """A collector that takes traces by OTLP over HTTP.

    endpoint: its URL, without `/v1/traces`. share: of the traces that it gets, 0 to 1.
    """

    endpoint: str
    share: float = 1.0


class Configuration(Part):
    """All of it.

    weights: of queues `organization.project`, 1 where one is missing.
    logs: name of a cluster -> where its jobs' logs are; without one, there are none to be read.
    history: None where the database keeps all of it.
    plans: how long the keeper leaves them there.
    traces: None for none.
    """

    environment: str
    database: DatabaseAccess
    clusters: Mapping[str, ClusterAccess] = Field(default_factory=dict)
    weights: Mapping[str, float] = Field(default_factory=dict)
    logs: Mapping[str, LogsPlace] = Field(default_factory=dict)
    rights: Sequence[RightEntry] = ()
    rate: RateLimit = RateLimit()
    authentication: Authentication = Authentication()
    tls: Tls | None = None
    history: HistoryPlace | None = None
    plans: PlanDays = PlanDays()
    traces: TracesPlace | None = None

    @property
    def policy(self) -> Policy:
        """Who may do what."""
        return Policy.of(
            Right(
                who=right.who,
                may=frozenset(right.may),
                organization=right.organization,
                project=right.project,
                tiers=frozenset(right.tiers),
            )
            for right in self.rights
        )
