"""What Archer's worker may do in a cluster: just what it does."""

from collections.abc import Sequence

from moka.components.kubernetes.rbac import Right
from moka.names import QUEUE_AMOUNTS, QUEUE_CALENDAR, YUNIKORN_CONFIGS
from moka.submission.cluster_document import CONFIG_MAP

APPLICATIONS = ("sparkoperator.k8s.io", "sparkapplications")

NAMESPACE_RIGHTS: Sequence[Right] = (
    Right(*APPLICATIONS, ("create", "delete")),
    # A driver tells how it ended, and must not outlive its application.
    # Those that wait, and what YuniKorn says of them, tell why a job does.
    Right("", "pods", ("get", "list", "delete")),
    Right("", "events", ("list",)),
)
"""In a job namespace."""

OPERATOR_RIGHTS: Sequence[Right] = (Right("", "configmaps", ("get",), (CONFIG_MAP,)),)
"""In the namespace of the operator: what the cluster says of itself."""

SCHEDULER_RIGHTS: Sequence[Right] = (Right("", "configmaps", ("get",), (YUNIKORN_CONFIGS,)),)
"""In the namespace of YuniKorn: how many applications its queues let run."""

AMOUNTS_RIGHTS: Sequence[Right] = (
    Right("", "configmaps", ("get",), (QUEUE_CALENDAR,)),
    Right("", "configmaps", ("get", "patch"), (QUEUE_AMOUNTS,)),
)
"""In the namespace of the queues' keeper: which queues the settings have, and what a plan has for them."""

CLUSTER_RIGHTS: Sequence[Right] = (
    # Patch: to take its finalizer off. Where a namespace is deleted, a Role in it goes before that is done,
    # and the namespace would never be gone.
    Right(*APPLICATIONS, ("get", "list", "watch", "patch")),
    Right("", "namespaces", ("get",)),
)
"""In all of it."""
