"""What others ask of EKS, and which rule holds it, or why none does.

The CIS Amazon EKS Benchmark v1.7.0 by its numbers, as aquasecurity/kube-bench: cfg/eks-1.7.0/ has them, the
subjects in our words; AWS's EKS Best Practices Guides
by their pages. A rule names the control that it is for among its references.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from policies.pack.rule import Rule

CIS = "https://www.cisecurity.org/benchmark/kubernetes"
GUIDES = "https://docs.aws.amazon.com/eks/latest/best-practices/"


@dataclass(frozen=True)
class Control:
    """A thing that is asked for.

    subject: what it is about.
    otherwise: who or what holds it where no rule does, or beside the rules.
    """

    subject: str
    otherwise: str = ""


_IMAGE = "EKS's own images set it; nothing here changes files of a node or flags of kubelet"

CONTROLS: Mapping[str, Control] = {
    "CIS 2.1.1": Control("audit logs"),
    "CIS 2.1.2": Control("audit logs are collected and kept"),
    **{f"CIS 3.1.{number}": Control("files of kubelet", _IMAGE) for number in range(1, 5)},
    **{f"CIS 3.2.{number}": Control("flags of kubelet", _IMAGE) for number in range(1, 10)},
    "CIS 4.1.1": Control("cluster-admin only where needed"),
    "CIS 4.1.2": Control("who reads Secrets"),
    "CIS 4.1.3": Control("wildcards in roles"),
    "CIS 4.1.4": Control(
        "who makes pods",
        "people submit SparkApplications; only the Spark Operator and drivers make pods, by Roles of job "
        "namespaces (`components/kubernetes/job_access.py`), decided by the real API server in tests",
    ),
    "CIS 4.1.5": Control("default service accounts"),
    "CIS 4.1.6": Control("tokens only where they are used"),
    "CIS 4.1.7": Control("access by access entries"),
    "CIS 4.1.8": Control("bind, escalate and impersonate"),
    "CIS 4.2.1": Control("privileged containers"),
    "CIS 4.2.2": Control("processes of the host"),
    "CIS 4.2.3": Control("memory of the host"),
    "CIS 4.2.4": Control("network of the host"),
    "CIS 4.2.5": Control("privilege escalation"),
    "CIS 4.3.1": Control("a network plugin with policies"),
    "CIS 4.3.2": Control("network policies in namespaces"),
    "CIS 4.4.1": Control("secrets in files, not in variables"),
    "CIS 4.4.2": Control("secrets outside of the cluster"),
    "CIS 4.5.1": Control(
        "boundaries by namespaces",
        "a namespace for each team's jobs and each program, with identities of their own "
        "(`identity-of-one-namespace`)",
    ),
    "CIS 4.5.2": Control("the namespace default"),
    "CIS 5.1.1": Control("images are scanned"),
    "CIS 5.1.2": Control("who uses registries", "whom accounts let in is the settings' `readers`"),
    "CIS 5.1.3": Control("clusters only read registries", "nodes have AmazonEC2ContainerRegistryPullOnly"),
    "CIS 5.1.4": Control("registries that are allowed"),
    "CIS 5.2.1": Control("identities of service accounts"),
    "CIS 5.3.1": Control("Secrets are encrypted with a key of ours"),
    "CIS 5.4.1": Control("networks that reach the API server"),
    "CIS 5.4.2": Control("a private API server"),
    "CIS 5.4.3": Control("private nodes"),
    "CIS 5.4.4": Control("network policies are on"),
    "CIS 5.4.5": Control(
        "TLS at load balancers",
        "TLS ends at the load balancer with the certificate that the settings name; "
        "`load-balancer-internal` keeps it inside",
    ),
    "CIS 5.5.1": Control("users by IAM"),
    f"{GUIDES}identity-and-access-management.html": Control("identity and access"),
    f"{GUIDES}pod-security.html": Control("pod security"),
    f"{GUIDES}tenant-isolation.html": Control("tenant isolation"),
    f"{GUIDES}network-security.html": Control("network security"),
    f"{GUIDES}image-security.html": Control("image security"),
    f"{GUIDES}data-plane.html": Control("nodes"),
    f"{GUIDES}application.html": Control("applications"),
    f"{GUIDES}cost-opt-compute.html": Control("cost of machines"),
    f"{GUIDES}auditing-and-logging.html": Control(
        "auditing", "`cluster-logs`, `log-group-retention`, access logs"
    ),
    f"{GUIDES}data-encryption-and-secrets-management.html": Control(
        "encryption and secrets", "rules of storage and data; `no-plain-secrets`"
    ),
    f"{GUIDES}runtime-security.html": Control(
        "runtime security", "`seccomp-profile`; GuardDuty is the account's, which is not deployed from here"
    ),
    f"{GUIDES}protecting-the-infrastructure.html": Control(
        "nodes as machines", "rules of nodes; no SSH, IMDSv2"
    ),
    f"{GUIDES}incident-response-and-forensics.html": Control(
        "incidents", "what people do; logs are kept for it"
    ),
    f"{GUIDES}scale-control-plane.html": Control(
        "the control plane at scale",
        "`node-group-size`, `job-namespace-bounded`; `make doctor` asks for quotas",
    ),
    f"{GUIDES}networking.html": Control(
        "addresses", "settings count the addresses of pods; `make doctor` the subnets'"
    ),
    f"{GUIDES}cluster-upgrades.html": Control(
        "upgrades", "`cluster-version-supported`, `cluster-standard-support`"
    ),
}
"""Control -> what it is about."""


def rules_for(control: str, rules: Sequence[Rule]) -> list[str]:
    """Names of the rules that hold a control."""
    return [rule.name for rule in rules if control in rule.references]
