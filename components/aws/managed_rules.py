"""Rules in a workspace of Amazon Managed Prometheus, which it evaluates, and where its alerts go."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws
import yaml

QUOTAS = "https://docs.aws.amazon.com/prometheus/latest/userguide/AMP_quotas.html"
"""Source of the limits: "Rule group namespace definition file size", "Rules per workspace"."""

MAX_BYTES = 1_000_000
"""Of a file of rules."""

MAX_RULES = 2_000
"""Of a workspace, unless AWS raised it."""

MAX_NAMES = 721
"""Bytes of the names of a namespace and of a group in it:
https://docs.aws.amazon.com/prometheus/latest/APIReference/API_CreateRuleGroupsNamespace.html"""


@dataclass(frozen=True, kw_only=True)
class ManagedRulesArgs:
    """What differs between environments.

    workspace_arn: in the account and region of the provider.
    files: text of Prometheus' rules, by the name of the namespace that has it.
    alerts_topic: ARN of the SNS topic that alerts go to; None for whatever the workspace has.
    tags: of every AWS resource that is made here.
    """

    workspace_arn: str
    files: Mapping[str, str]
    alerts_topic: str | None = None
    tags: dict[str, str] = field(default_factory=dict)


class ManagedRules(pulumi.ComponentResource):
    """Pulumi type `moka:aws:ManagedRules`.

    Makes: an amp.RuleGroupNamespace for each file; amp.AlertManagerDefinition where there is a topic.
    """

    def __init__(self, name: str, args: ManagedRulesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:aws:ManagedRules", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        workspace = args.workspace_arn.rpartition("/")[2]
        for namespace, text in args.files.items():
            aws.amp.RuleGroupNamespace(
                f"{name}-{namespace}",
                name=namespace,
                workspace_id=workspace,
                data=text,
                tags=args.tags,
                opts=child,
            )
        if args.alerts_topic:
            aws.amp.AlertManagerDefinition(
                name, workspace_id=workspace, definition=alert_manager(args.alerts_topic), opts=child
            )
        self.register_outputs({})


def alert_manager(topic: str) -> str:
    """A definition (YAML) that sends what fires to an SNS topic, a message for each alert of a cluster.

    https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-alertmanager-receiver-config.html
    """
    region = topic.split(":")[3]
    config = {
        "route": {"receiver": "topic", "group_by": ["cluster", "alertname"]},
        "receivers": [
            {"name": "topic", "sns_configs": [{"topic_arn": topic, "sigv4": {"region": region}}]},
        ],
    }
    return yaml.safe_dump({"alertmanager_config": yaml.safe_dump(config, sort_keys=False)}, sort_keys=False)
