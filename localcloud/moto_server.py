"""moto's server as the laptop cloud runs it, with the arguments of `moto.server`."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import moto.server as server
from botocore import xform_name
from moto.ec2.models import EC2Backend
from moto.ec2.models.vpcs import VPC
from moto.eks.models import EKSBackend
from moto.iam.access_control import PermissionResult
from moto.iam.models import IAMBackend, Role
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler
from moto.s3.models import FakeBucket, FakeDeleteMarker
from moto.secretsmanager.models import SecretsManagerBackend, secretsmanager_backends
from moto.sts.responses import TokenResponse

from localcloud import moto_caches
from localcloud.cloud import Cloud
from localcloud.store import Store, store_folder


def _permission(bucket: FakeBucket, action: str, resource: str) -> Any:
    """moto leaves the conditions of a bucket's policy out (5.2: iam/access_control.py): a policy that denies
    requests without TLS would deny all requests for objects. So, as everywhere here, every call is allowed.
    """
    return PermissionResult.NEUTRAL


def _dispose(marker: FakeDeleteMarker) -> None:
    """A marker has nothing to dispose of, and moto asks it to once versioning is off (5.2: s3/utils.py)."""


def _of_a_cluster(operation: Callable[..., Any]) -> Callable[..., Any]:
    """A list of things of a cluster. moto ends with HTTP status 500 where there is no such cluster (5.2:
    eks/models.py); EKS says so: https://docs.aws.amazon.com/eks/latest/APIReference/API_ListNodegroups.html
    """

    def answer(backend: EKSBackend, cluster_name: str, *arguments: Any, **keywords: Any) -> Any:
        backend.describe_cluster(cluster_name)
        return operation(backend, cluster_name, *arguments, **keywords)

    return answer


def _answering(noun: str, describe: Callable[..., Any]) -> Callable[..., Any]:
    """A cluster or node group with what is kept of it beside moto: its version, its API server."""

    def answer(backend: EKSBackend, *key: str, **keywords: str) -> Any:
        thing = describe(backend, *key, **keywords)
        place = store_folder(Cloud.of_environment()) / backend.account_id / backend.region_name / "eks"
        for member, value in (Store(place).get(noun, *key, *keywords.values()) or {}).items():
            setattr(thing, xform_name(member), value)
        return thing

    return answer


def _with_way_out(make: Callable[[EC2Backend], VPC]) -> Callable[[EC2Backend], VPC]:
    """The default VPC with its way to the internet, which moto leaves out (5.2: ec2/models/vpcs.py):
    https://docs.aws.amazon.com/vpc/latest/userguide/default-vpc-components.html
    """

    def answer(backend: EC2Backend) -> VPC:
        vpc = make(backend)
        gateway = backend.create_internet_gateway()
        backend.attach_internet_gateway(gateway.id, vpc.id)
        main = {"vpc-id": [vpc.id], "association.main": ["true"]}
        [table] = backend.describe_route_tables(filters=main)
        backend.create_route(table.id, "0.0.0.0/0", gateway_id=gateway.id)
        return vpc

    return answer


def _of_its_account(read: Callable[..., Any]) -> Callable[..., Any]:
    """The value of a secret, by its ARN of the account and region that this names; moto looks in the caller's
    (5.2: secretsmanager/models.py), and programs here have the keys of one account only:
    https://docs.aws.amazon.com/secretsmanager/latest/userguide/auth-and-access_examples_cross.html
    """

    def answer(backend: SecretsManagerBackend, secret_id: str, *arguments: Any, **keywords: Any) -> Any:
        if secret_id.startswith("arn:"):
            _, _, _, region, account, *_ = secret_id.split(":")
            backend = secretsmanager_backends[account][region]
        return read(backend, secret_id, *arguments, **keywords)

    return answer


def _with_tags(assume: Callable[[TokenResponse], Any]) -> Callable[[TokenResponse], Any]:
    """A session of a role with its tags, which moto leaves out (5.2: sts/responses.py):
    https://docs.aws.amazon.com/IAM/latest/UserGuide/id_session-tags.html
    """

    def answer(response: TokenResponse) -> Any:
        result = assume(response)
        tags = response._get_param("Tags") or ()
        session = result.result["Credentials"]
        session.tags = {tag["Key"]: tag["Value"] for tag in tags}
        return result

    return answer


def _roles(backend: IAMBackend) -> list[Role]:
    """Roles of an account. For every role that is asked for moto goes through its own dictionary of them
    (5.2: iam/models.py), and ends with HTTP status 500 where another request makes one meanwhile.
    """
    return list(backend.roles.values())


class Handler(MotoRequestHandler):
    """Sends the head and the body of an answer at once.

    Sent apart, as werkzeug does it, a client in Go was once left with the head only: "failed to decode
    response body ... use of closed network connection".
    """

    wbufsize = -1

    def handle_expect_100(self) -> bool:
        """Have the client send its body: it waits for these words."""
        continues: bool = super().handle_expect_100()
        self.wfile.flush()
        return continues


def _with_query(environ: dict[str, Any]) -> dict[str, Any]:
    """A request to STS that is signed in its query, as one that is signed in its headers: moto takes it for
    one to S3, whatever service its credential names (5.2: moto_server/werkzeug_app.py).
    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-authentication-methods.html
    """
    query = dict(parse_qsl(environ.get("QUERY_STRING", "")))
    credential = query.get("X-Amz-Credential", "")
    if environ.get("HTTP_AUTHORIZATION") or not credential.endswith("/sts/aws4_request"):
        return environ
    signature = (
        f"{query.get('X-Amz-Algorithm')} Credential={credential}, "
        f"SignedHeaders={query.get('X-Amz-SignedHeaders')}, Signature={query.get('X-Amz-Signature')}"
    )
    token = query.get("X-Amz-Security-Token")
    return {
        **environ,
        "HTTP_AUTHORIZATION": signature,
        **({"HTTP_X_AMZ_SECURITY_TOKEN": token} if token else {}),
    }


EKS, AUTO_SCALING = "/eks/aws4_request", "/autoscaling/aws4_request"
"""In what signs a request to these services."""


class Guarded(DomainDispatcherApplication):
    """moto's application, behind IAM's decisions."""

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:
        """Answer a request."""
        environ = _with_query(environ)
        application: Callable[..., Any] = super().__call__
        if EKS in environ.get("HTTP_AUTHORIZATION", ""):
            from localcloud.eks_answers import EksAnswers

            application = EksAnswers(application, Cloud.of_environment())
        elif AUTO_SCALING in environ.get("HTTP_AUTHORIZATION", ""):
            from localcloud.scaling_answers import ScalingAnswers

            application = ScalingAnswers(application, Cloud.of_environment())
        # Loaded with the first call of a role: it knows every action of AWS.
        if not environ.get("HTTP_X_AMZ_SECURITY_TOKEN"):
            return application(environ, start_response)
        from localcloud.authorization.gate import Gate

        return Gate(application, Cloud.of_environment())(environ, start_response)


if __name__ == "__main__":
    moto_caches.install()
    FakeDeleteMarker.dispose = _dispose  # type: ignore[attr-defined]
    FakeBucket.get_permission = _permission  # type: ignore[assignment,method-assign]
    IAMBackend.get_roles = _roles  # type: ignore[method-assign, assignment]
    for name in ("list_nodegroups", "list_fargate_profiles"):
        setattr(EKSBackend, name, _of_a_cluster(getattr(EKSBackend, name)))
    for noun in ("cluster", "nodegroup"):
        name = f"describe_{noun}"
        setattr(EKSBackend, name, _answering(noun, getattr(EKSBackend, name)))
    SecretsManagerBackend.get_secret_value = _of_its_account(  # type: ignore[method-assign]
        SecretsManagerBackend.get_secret_value
    )
    TokenResponse.assume_role = _with_tags(TokenResponse.assume_role)  # type: ignore[method-assign, assignment]
    EC2Backend.create_default_vpc = _with_way_out(EC2Backend.create_default_vpc)  # type: ignore
    server.DomainDispatcherApplication = Guarded  # type: ignore[attr-defined]
    server.MotoRequestHandler = Handler  # type: ignore[attr-defined]
    server.main()
