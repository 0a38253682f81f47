"""How CI gets into an account: identity provider, roles, and what bounds them."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pulumi
import pulumi_aws as aws

from accounts import trust
from accounts.names import AUDIENCE, GITHUB_ISSUER, AccountNames, deploy_environment, preview_environment
from accounts.permissions import boundaries, policies

SESSION_SECONDS = 4 * 3600
"""Longest session of a deploy role: an update of node groups goes on for more than an hour."""

Document = Callable[[str], dict[str, Any]]
"""ARN of the state's key -> a policy."""


@dataclass(frozen=True, kw_only=True)
class AccessArgs:
    """What differs between accounts.

    names: in the account.
    repository: of GitHub, whose workflows get in.
    state_key: ARN of the key of the environment's secrets.
    provider: the account's identity provider for GitHub is made; otherwise it is there already.
    keep_provider: it stays when it is removed from the stack, as others use it too.
    home: roles at home that may take the roles here: kind of role -> ARN.
    people: ARNs of roles of people who may take the deploy role.
    """

    names: AccountNames
    repository: str
    state_key: pulumi.Input[str]
    provider: bool = True
    keep_provider: bool = False
    home: Mapping[str, pulumi.Input[str]] = field(default_factory=dict)
    people: Sequence[str] = ()
    tags: dict[str, str] = field(default_factory=dict)


class Access(pulumi.ComponentResource):
    """Pulumi type `moka:accounts:Access`.

    Makes: iam.OpenIdConnectProvider unless it is there, the Policy that bounds workloads unless the settings
    name another, and for the deploy and the preview role each an iam.Role, its boundary (Policy), its
    Policies and a RolePolicyAttachment each.
    Outputs: `deploy` and `preview`, ARNs of the roles, known once they may do what they are for.
    """

    deploy: pulumi.Output[str]
    preview: pulumi.Output[str]

    def __init__(self, name: str, args: AccessArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:accounts:Access", name, {}, opts)
        self._label, self._access, self._below = name, args, pulumi.ResourceOptions(parent=self)
        names = args.names
        provider = (
            self._identity_provider() if args.provider else pulumi.Output.from_input(names.github_provider)
        )
        if names.makes_workload_boundary:
            self._managed_policy("workloads", lambda key: boundaries.workload_boundary(names, key))
        self.deploy = self._ci_role(
            "deploy",
            provider,
            deploy_environment(names.settings),
            lambda key: boundaries.deploy_boundary(names, key),
            lambda key: policies.deploy_policies(names, key),
            SESSION_SECONDS,
        )
        self.preview = self._ci_role(
            "preview",
            provider,
            preview_environment(names.settings),
            lambda key: boundaries.preview_boundary(names, key),
            lambda key: policies.preview_policies(names, key),
            3600,
        )
        self.register_outputs({"deploy": self.deploy, "preview": self.preview})

    def _identity_provider(self) -> pulumi.Output[str]:
        """ARN of the identity provider. IAM knows GitHub's certificates, and needs no thumbprint."""
        provider = aws.iam.OpenIdConnectProvider(
            self._label,
            url=f"https://{GITHUB_ISSUER}",
            client_id_lists=[AUDIENCE],
            tags=self._access.tags,
            opts=pulumi.ResourceOptions(parent=self, retain_on_delete=self._access.keep_provider),
        )
        return provider.arn

    def _ci_role(
        self,
        kind: str,
        provider: pulumi.Output[str],
        environment: str,
        boundary: Document,
        permissions: Callable[[str], dict[str, dict[str, Any]]],
        seconds: int,
    ) -> pulumi.Output[str]:
        """ARN of a role, known once it has its boundary and its policies."""
        args, prefix = self._access, self._access.names.settings.prefix
        home = args.home.get(kind)
        people = args.people if kind == "deploy" else ()
        trust_policy = pulumi.Output.all(provider, home).apply(
            lambda arns: json.dumps(
                trust.trust(arns[0], args.repository, environment, [arns[1]] if arns[1] else [], people)
            )
        )
        role = aws.iam.Role(
            f"{self._label}-{kind}",
            name=f"{prefix}-{kind}",
            description=f"{kind.capitalize()} {prefix} from {args.repository}",
            assume_role_policy=trust_policy,
            permissions_boundary=self._managed_policy(f"{kind}-boundary", boundary).arn,
            max_session_duration=seconds,
            tags=args.tags,
            opts=self._below,
        )
        attachment_roles = []
        # Which policies there are does not depend on the key.
        for subject in permissions(""):
            purpose = f"{kind}-{subject}"
            policy = self._managed_policy(purpose, partial(_of_subject, permissions, subject))
            attachment = aws.iam.RolePolicyAttachment(
                f"{self._label}-{purpose}", role=role.name, policy_arn=policy.arn, opts=self._below
            )
            attachment_roles.append(attachment.role)
        return pulumi.Output.all(role.arn, *attachment_roles).apply(lambda outputs: str(outputs[0]))

    def _managed_policy(self, purpose: str, document: Document) -> aws.iam.Policy:
        args = self._access
        return aws.iam.Policy(
            f"{self._label}-{purpose}",
            name=args.names.policy(purpose).rpartition("/")[2],
            policy=pulumi.Output.from_input(args.state_key).apply(lambda key: json.dumps(document(key))),
            tags=args.tags,
            opts=self._below,
        )


def _of_subject(
    permissions: Callable[[str], dict[str, dict[str, Any]]], subject: str, key: str
) -> dict[str, Any]:
    return permissions(key)[subject]
