"""What previews may read on a cluster."""

import re

from moka.components.kubernetes.preview_access import OBJECTS, READ, READINESS, PreviewAccess
from tests.support.bootstrapped_previews import FILES, bootstrapped
from tests.support.cluster_objects import kinds_of

ROLE = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole"


def test_it_may_read_the_kinds_of_objects_that_the_program_makes_and_no_others():
    kinds = {kind for name in FILES for kind in kinds_of(bootstrapped(name))}

    allowed = {(group, resource) for group, text in OBJECTS.items() for resource in text.split()}
    assert allowed == kinds


def test_it_reads_no_secret_and_changes_nothing(deploy):
    recorder = deploy(lambda: PreviewAccess("spark-a-previews"))

    [role] = recorder.inputs(ROLE)
    resources = {resource for rule in role["rules"] for resource in rule["resources"]}
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == set(READ) <= {"get", "list", "watch"}
    assert "secrets" not in resources and "*" not in resources
    assert not any(re.search(r"/", resource) for resource in resources), "no exec, no logs, no proxy"
    assert resources >= {resource for text in READINESS.values() for resource in text.split()}
