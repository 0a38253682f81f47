"""Names of what accounts have before an environment: known beforehand, as policies and CI name them."""

from dataclasses import dataclass

from moka.names import bucket_name, deploy_role_name, preview_role_name
from moka.partition import partition
from moka.registries import ecr_host
from stacks.settings import Environment
from stacks.settings.foundation import Foundation

PROJECT = "accounts"
"""Name of the Pulumi project that makes it."""

CHARTS = "charts"
"""First part of the names of the repositories of charts."""

GITHUB_ISSUER = "token.actions.githubusercontent.com"
AUDIENCE = "sts.amazonaws.com"
"""Source: "Configuring OpenID Connect in Amazon Web Services",
https://docs.github.com/en/actions/how-tos/secure-your-work/security-harden-deployments/oidc-in-aws
"""


@dataclass(frozen=True)
class AccountNames:
    """Names in one account of an environment.

    The roles are beside the path of the environment's own roles, which the deploy role may change.
    """

    settings: Environment
    account: str

    @property
    def foundations(self) -> dict[str, Foundation]:
        """Foundations of the account, by name."""
        return {
            name: foundation
            for name, foundation in self.settings.foundations.items()
            if foundation.account == self.account
        }

    @property
    def partition(self) -> str:
        """Partition of the account."""
        return partition(next(iter(self.foundations.values())).region)

    @property
    def regions(self) -> tuple[str, ...]:
        """Regions that the environment uses there."""
        return tuple(sorted({foundation.region for foundation in self.foundations.values()}))

    @property
    def home(self) -> bool:
        """Whether state and secrets provider are in this account."""
        return self.settings.foundations[self.settings.home_foundation].account == self.account

    @property
    def deploy_role(self) -> str:
        """ARN of the role that runs `up`."""
        return self._iam(f"role/{deploy_role_name(self.settings.prefix)}")

    @property
    def preview_role(self) -> str:
        """ARN of the role that runs `preview`."""
        return self._iam(f"role/{preview_role_name(self.settings.prefix)}")

    @property
    def own_policies(self) -> str:
        """Pattern of the ARNs of all policies that are made beside the roles."""
        return self._iam(f"policy/{self.settings.prefix}-*")

    def policy(self, purpose: str) -> str:
        """ARN of a policy that is made beside the roles."""
        return self._iam(f"policy/{self.settings.prefix}-{purpose}")

    @property
    def workload_boundary(self) -> str:
        """ARN of the boundary of every role that `up` makes: the one in the settings, or else one of ours."""
        boundaries = [f.permissions_boundary for f in self.foundations.values() if f.permissions_boundary]
        return boundaries[0] if boundaries else self.policy("workloads")

    @property
    def makes_workload_boundary(self) -> bool:
        """Whether the boundary of workloads is ours to make; the settings may name another one."""
        return self.workload_boundary == self.policy("workloads")

    @property
    def github_provider(self) -> str:
        """ARN of the identity provider by which GitHub's workflows sign in; an account has one at most."""
        return self._iam(f"oidc-provider/{GITHUB_ISSUER}")

    @property
    def workload_roles(self) -> str:
        """Pattern of the ARNs of the roles that `up` makes."""
        return self._iam(f"role{self.settings.role_path}*")

    @property
    def node_group_role(self) -> str:
        """ARN of EKS's own role for node groups, as IAM takes it until the role is there."""
        return self._iam("role/AWSServiceRoleForAmazonEKSNodegroup")

    @property
    def chart_repositories(self) -> list[str]:
        """Pattern of the ARNs of repositories that Helm pulls charts from; none without a mirror in ECR."""
        host, _, path = (self.settings.charts.mirror or "").partition("/")
        registry = ecr_host(host)
        if registry is None:
            return []
        folder = "/".join(filter(None, (path, CHARTS)))
        return [f"arn:{self.partition}:ecr:{registry.region}:{registry.account}:repository/{folder}/*"]

    def _iam(self, resource: str) -> str:
        return f"arn:{self.partition}:iam::{self.account}:{resource}"


@dataclass(frozen=True)
class StateNames:
    """Where an environment's stacks are kept: in the account and region of its home foundation."""

    settings: Environment

    @property
    def foundation(self) -> Foundation:
        """The home foundation."""
        return self.settings.foundations[self.settings.home_foundation]

    @property
    def bucket(self) -> str:
        """Name of the bucket."""
        return bucket_name(self.settings.prefix, self.foundation.account, self.foundation.region, "state")

    @property
    def bucket_arn(self) -> str:
        """ARN of the bucket."""
        return f"arn:{partition(self.foundation.region)}:s3:::{self.bucket}"

    @property
    def key_alias(self) -> str:
        """Alias of the key, without `alias/`."""
        return f"{self.settings.prefix}-state"

    @property
    def backend_url(self) -> str:
        """`PULUMI_BACKEND_URL`. SDK 2 reads the same configuration of AWS as everything else does."""
        return f"s3://{self.bucket}?region={self.foundation.region}&awssdk=v2"

    @property
    def secrets_provider(self) -> str:
        """What `pulumi stack init --secrets-provider` takes."""
        return f"awskms://alias/{self.key_alias}?region={self.foundation.region}&awssdk=v2"


def deploy_environment(settings: Environment) -> str:
    """GitHub environment whose jobs may take the deploy roles."""
    return settings.environment


def preview_environment(settings: Environment) -> str:
    """GitHub environment whose jobs may take the preview roles."""
    return f"{settings.environment}-preview"
