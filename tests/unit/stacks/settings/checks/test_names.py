import pytest

from tests.support.wrong_settings import OTHER_FOUNDATION, Changes

GROUPS = "clusters.spark-a.node_groups"

# What is changed in stacks/local.yaml, by its place there, and what the message has to say.
MISTAKES: dict[str, tuple[Changes, str]] = {
    "labels of Kubernetes": (
        {f"{GROUPS}.system.labels": {"node.kubernetes.io/pool": "a"}},
        f"{GROUPS}.system.labels.node.kubernetes.io/pool: labels of that domain are set by "
        "others; use a domain of your own.",
    ),
    "a home that is no cluster": (
        {"home": "spark-z"},
        "home: no cluster is named 'spark-z'; the clusters are spark-a.",
    ),
    "a cluster on no foundation": (
        {"clusters.spark-a.foundation": "mian"},
        "clusters.spark-a.foundation: no foundation is named 'mian'; the foundations are main.",
    ),
    "a foundation that nothing stands on": (
        {"foundations.spare": OTHER_FOUNDATION},
        "foundations.spare: no cluster uses it; add one or remove it.",
    ),
    "a namespace that is called as a role of the platform is": (
        {"job_namespaces": {"history": {}}},
        "job_namespaces.history: is a name that the platform uses itself; choose another for jobs.",
    ),
    "a namespace of the platform": (
        {"job_namespaces": {"yunikorn": {}}},
        "job_namespaces.yunikorn: is a name that the platform uses itself; choose another for jobs.",
    ),
    "two groups that make one name": (
        {"clusters.spark": "copy of spark-a", "clusters.spark.node_groups.a-system": "copy of system"},
        f"{GROUPS}.system: would be named spark-a-system, as clusters.spark.node_groups.a-system "
        "would; rename one of the two.",
    ),
    "the deployer's entry once more": (
        {
            "clusters.spark-a.access": {
                "me": {"principal": "arn:aws:iam::123456789012:user/laptop", "policy": "admin"}
            }
        },
        "clusters.spark-a.access.me.principal: is 'arn:aws:iam::123456789012:user/laptop', the same "
        "principal as the deployer; EKS allows one entry for each, so remove this one.",
    ),
    "jobs of a namespace that has none": (
        {
            "clusters.spark-a.access": {
                "developers": {
                    "principal": "arn:aws:iam::123456789012:role/developer",
                    "jobs": "edit",
                    "namespaces": ["spark-job"],
                }
            }
        },
        "clusters.spark-a.access.developers.namespaces: no job namespace is named 'spark-job'; did you mean "
        "'spark-jobs'?",
    ),
    "jobs of namespaces of the platform": (
        {
            "clusters.spark-a.access": {
                "developers": {
                    "principal": "arn:aws:iam::123456789012:role/developer",
                    "jobs": "view",
                    "namespaces": ["celeborn"],
                }
            }
        },
        "clusters.spark-a.access.developers.jobs: allows nothing, as none of its namespaces is one for jobs; "
        "add one or remove jobs.",
    ),
    "access that allows nothing": (
        {
            "clusters.spark-a.access": {
                "developers": {"principal": "arn:aws:iam::123456789012:role/developer"}
            }
        },
        "clusters.spark-a.access.developers: allows nothing; set policy, jobs, or both",
    ),
    "tags that are ours": (
        {"tags": {"moka:environment": "prod"}},
        "tags.moka:environment: tags that begin with",
    ),
    "a wave with an unknown cluster": (
        {"waves": {"canary": ["spark-b"], "rest": ["spark-a"]}},
        "waves.canary: no cluster is named 'spark-b'; the clusters are spark-a.",
    ),
    "a cluster in two waves": (
        {"waves": {"canary": ["spark-a"], "rest": ["spark-a"]}},
        "waves: cluster 'spark-a' is in 2 waves; keep it in one.",
    ),
    "a registry on no foundation": (
        {"registry": {"foundation": "elsewhere"}},
        "registry.foundation: no foundation is named 'elsewhere'; the foundations are main.",
    ),
}


@pytest.mark.parametrize(("changes", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_refused_before_anything_is_registered(changes, expected, refusal):
    assert expected in refusal(changes)
