"""All rules, in the order in which docs/laptop-cloud.md lists them."""

from aws_rules import access, eks, images, network, nodes, values
from aws_rules.iam import nodes as node_permissions
from aws_rules.iam import permissions, pod_identity, policies, questions
from aws_rules.rule import Rule

RULES: tuple[Rule, ...] = (
    *values.RULES,
    *policies.RULES,
    *questions.RULES,
    *permissions.RULES,
    *pod_identity.RULES,
    *node_permissions.RULES,
    *nodes.RULES,
    *network.RULES,
    *images.RULES,
    *eks.RULES,
    *access.RULES,
)


def table() -> str:
    """The rules as a table in Markdown: what is decided, by whom, the rule that does it here, its source."""
    rows = [f"| {rule.decides} | {rule.authority} | `{rule.name}` | {_link(rule.source)} |" for rule in RULES]
    return "\n".join(["| what | who decides | rule | source |", "| --- | --- | --- | --- |", *rows])


def _link(source: str) -> str:
    """A source as it is read: an address by its last part, `owner/repo: path` as code."""
    if not source.startswith("https://"):
        return f"`{source}`"
    return f"[{source.rstrip('/').rpartition('/')[2]}]({source})"
