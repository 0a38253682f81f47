"""Settings of Archer, which takes jobs, has them run on the clusters, and tells what became of them."""

from typing import Annotated, Literal

from pydantic import Field

from moka.documents import Cpu, Form, Name, Section
from moka.submission.rights import ANY, Action
from stacks.settings.login import Issuer

Who = Annotated[
    str,
    Form(
        r"(user|group):[^\s,][^,]{0,255}",
        "write user:<name> or group:<name>, of which the name may be a pattern with *",
    ),
]
QueueName = Annotated[
    str,
    Form(
        r"[a-z0-9]([a-z0-9-]*[a-z0-9])?\.[a-z0-9]([a-z0-9-]*[a-z0-9])?",
        "write a queue as <organization>.<project>",
    ),
]
CollectorUrl = Annotated[
    str,
    Form(
        r"https?://[^\s/@?#]+(/[^\s?#]*)?",
        "write a URL without a password or a query, such as http://opentelemetry.tracing.svc:4318",
    ),
]
Header = Annotated[str, Form(r"[a-z0-9-]{1,100}", "write the name of a header in lower case")]
Claim = Annotated[str, Field(pattern=r"^\S{1,200}$")]
SecretObject = Annotated[
    str,
    Form(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?", "write the name of a Secret of Kubernetes"),
]
HostName = Annotated[
    str,
    Form(
        r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*",
        "write a host name in lower case, as the certificate has it",
    ),
]


class Oidc(Section):
    """Tokens of an issuer of OpenID Connect."""

    issuer: Issuer | None = Field(
        default=None, description="URL of the issuer, https; by default that of `ingress.login`."
    )
    audience: str = Field(
        min_length=1,
        max_length=200,
        description="`aud` of tokens that are for Archer; not that of `ingress.login`, or whoever gets a "
        "page's token could submit with it.",
    )
    name_claim: Claim = Field(
        default="preferred_username", description="Claim with the user's name, in which their jobs run."
    )
    groups_claim: Claim | None = Field(
        default=None, description="Claim that lists a user's groups; by default that of `ingress.login`."
    )


class Proxy(Section):
    """A trusted proxy on the home cluster: what it says of who is logged in to it is believed.

    It comes to `archer.ingress:8443` with a certificate of its own.
    """

    certificate_name: HostName = Field(
        description="Alternative name (DNS) in the certificate that the proxy comes with."
    )
    secret: SecretObject = Field(
        description="Secret in namespace `ingress` that you make, with `tls.crt` and `tls.key` of Archer, "
        "for `archer.ingress.svc`, and `ca.crt`, the authority of the proxy's certificate."
    )
    namespace: Name = Field(description="Namespace of the proxy's pods; no others reach that port.")
    user_header: Header = Field(default="x-forwarded-user", description="Header with the user's name.")
    groups_header: Header = Field(
        default="x-forwarded-groups", description="Header with their groups, with commas between."
    )


class Iam(Section):
    """Credentials of AWS: who calls signs a question to STS that only Archer of this environment takes."""


class Authentication(Section):
    """The ways in which a request may prove who sends it; one at least."""

    oidc: Oidc | None = Field(default=None, description="Tokens of people and workflow engines.")
    proxy: Proxy | None = Field(default=None, description="Headers of a trusted proxy, by mTLS only.")
    iam: Iam | None = Field(
        default=None,
        description="Credentials of AWS, `{}`: of jobs that submit jobs, by their role, and of people.",
    )


class Right(Section):
    """What somebody may do. Who submitted a job may always see and stop it."""

    who: list[Who] = Field(
        min_length=1,
        description="`user:<name>` or `group:<name>`, of which the name may have `*`. With credentials of "
        "AWS the name is the ARN that STS tells, and of a role's session the group is the role's ARN, "
        "without its path.",
    )
    may: list[Action] = Field(
        min_length=1,
        description="submit, see, stop; operate: cordon clusters, set routes of workflows, and apply plans.",
    )
    organization: Name | Literal["*"] = Field(default=ANY, description="Of the queues; `*` for any.")
    project: Name | Literal["*"] = Field(default=ANY, description="Of the queues; `*` for any.")
    tiers: list[Literal[1, 2, 3]] = Field(
        default=[1, 2, 3], min_length=1, description="Of the jobs that they may submit."
    )


class Rate(Section):
    """Requests of one user or role; who sends more is told when to send again."""

    a_second: float = Field(default=50, gt=0, le=10_000, description="A second.")
    at_once: float = Field(default=200, ge=1, le=100_000, description="At once, after a pause.")


class Program(Section):
    """Size of a program."""

    replicas: int = Field(default=2, ge=1, le=20, description="Pods, over zones.")
    cpu: Cpu = Field(default="500m", description="Cores that each requests: 1, 500m.")
    memory_mib: int = Field(
        default=384, ge=192, le=65_536, description="MiB that each requests; it may take twice as much."
    )


class Traces(Section):
    """Traces of requests and of jobs, whose ids are the jobs'."""

    endpoint: CollectorUrl = Field(
        description="URL of a collector that takes OTLP over HTTP, without `/v1/traces`, such as "
        "`http://opentelemetry.tracing.svc:4318`. It gets no password: a collector of yours sends on."
    )
    share: float = Field(default=1, ge=0, le=1, description="Of the traces that are sent.")


class Archer(Section):
    """The submission service: one an environment, on its home cluster; it needs `database`."""

    authentication: Authentication = Field(description="How senders authenticate.")
    rights: dict[Name, Right] = Field(
        default_factory=dict,
        description="Who may do what, each with a name of your choice; without any, nobody may do anything.",
    )
    weights: dict[QueueName, Annotated[float, Field(gt=0, le=1000)]] = Field(
        default_factory=dict,
        description="Weights of queues, `<organization>.<project>`: each queue's share of what is submitted "
        "while several wait; 1 by default.",
    )
    rate: Rate = Rate()
    traces: Traces | None = Field(default=None, description="Where traces go; by default there are none.")
    service: Program = Field(default=Program(), description="What takes jobs and answers.")
    worker: Program = Field(default=Program(), description="What submits to clusters, and follows.")
