"""What previews may read on a cluster."""

import re

from moka.components.kubernetes.preview_access import READ, READINESS, PreviewAccess

ROLE = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole"


def test_it_reads_no_secret_and_changes_nothing(deploy):
    recorder = deploy(lambda: PreviewAccess("spark-a-previews"))

    [role] = recorder.inputs(ROLE)
    resources = {resource for rule in role["rules"] for resource in rule["resources"]}
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == set(READ) <= {"get", "list", "watch"}
    assert "secrets" not in resources and "*" not in resources
    assert not any(re.search(r"/", resource) for resource in resources), "no exec, no logs, no proxy"
    assert resources >= {resource for text in READINESS.values() for resource in text.split()}
