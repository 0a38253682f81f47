"""All rules, in the order in which docs/policies.md lists them."""

from collections.abc import Sequence

from policies import (
    admission,
    amounts,
    buckets,
    cadvisor,
    databases,
    images,
    machines,
    namespaces,
    plain_secrets,
    rbac,
    trust,
    ways,
)
from policies.cluster import CLUSTERS
from policies.cost import COST
from policies.data import DATA
from policies.identity import IDENTITY
from policies.network import NETWORK
from policies.nodes import NODES
from policies.pack.rule import Rule, Subject
from policies.queues import QUEUES
from policies.storage import STORAGE
from policies.workloads import PODS

SUBJECTS: Sequence[Subject] = (NETWORK, CLUSTERS, NODES, STORAGE, DATA, IDENTITY, PODS, QUEUES, COST)

MORE = (
    admission,
    amounts,
    buckets,
    cadvisor,
    databases,
    images,
    machines,
    namespaces,
    plain_secrets,
    rbac,
    trust,
    ways,
)
"""Modules with further rules of a subject, which declare them as they are imported."""


def _module(rule: Rule) -> int:
    """Place of a rule's module: that of its subject first, whatever was imported first."""
    names = [module.__name__ for module in MORE]
    name = (rule.check or rule.stack_check).__module__
    return names.index(name) + 1 if name in names else 0


for subject in SUBJECTS:
    subject.rules.sort(key=_module)

RULES: Sequence[Rule] = tuple(rule for subject in SUBJECTS for rule in subject.rules)
