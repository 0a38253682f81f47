"""Kubernetes versions and versions of add-ons that EKS has: data of `versions`."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

CALENDAR = "https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html"
ENDS = "https://endoflife.date/amazon-eks, which reads the calendar"
APEX = "aws-samples/sample-apex-skills: skills/eks-operation-review/references/cluster-lifecycle.md"
PROGRAMS = "aws eks describe-addon-versions, as public programs pin its answers (spring to autumn 2026)"


@dataclass(frozen=True)
class Support:
    """Until when EKS has a Kubernetes version: clusters of it are made until extended support ends.

    standard, extended: the first days without.
    """

    standard: date
    extended: date
    source: str


KUBERNETES: Mapping[str, Support] = {
    "1.24": Support(date(2024, 1, 31), date(2025, 1, 31), CALENDAR),
    "1.25": Support(date(2024, 5, 1), date(2025, 5, 1), CALENDAR),
    "1.26": Support(date(2024, 6, 11), date(2025, 6, 11), CALENDAR),
    "1.27": Support(date(2024, 7, 24), date(2025, 7, 24), CALENDAR),
    "1.28": Support(date(2024, 11, 26), date(2025, 11, 26), CALENDAR),
    "1.29": Support(date(2025, 3, 23), date(2026, 3, 23), CALENDAR),
    "1.30": Support(date(2025, 7, 23), date(2026, 7, 23), CALENDAR),
    "1.31": Support(date(2025, 11, 26), date(2026, 11, 26), CALENDAR),
    "1.32": Support(date(2026, 3, 23), date(2027, 3, 23), APEX),
    "1.33": Support(date(2026, 7, 29), date(2027, 7, 29), APEX),
    "1.34": Support(date(2026, 12, 2), date(2027, 12, 2), APEX),
    "1.35": Support(date(2027, 3, 27), date(2028, 3, 27), APEX),
    "1.36": Support(date(2027, 8, 2), date(2028, 8, 2), ENDS),
}
"""Kubernetes version -> its support. Versions before these have ended; versions after are not known here."""


@dataclass(frozen=True)
class Builds:
    """Versions of an add-on that were seen with a Kubernetes version.

    versions: as EKS names them. source: where they were seen.
    """

    versions: frozenset[str]
    source: str


def _builds(versions: str, source: str = PROGRAMS) -> Builds:
    return Builds(frozenset(versions.split()), source)


NETWORKING = "https://docs.aws.amazon.com/eks/latest/userguide/eks-networking-add-ons.html"

_CNI = "v1.19.0-eksbuild.1 v1.20.4-eksbuild.2 v1.20.5-eksbuild.1 v1.21.1-eksbuild.1 v1.21.1-eksbuild.7 "
_CNI += "v1.21.2-eksbuild.2 v1.22.3-eksbuild.1 v1.22.4-eksbuild.3 v1.23.0-eksbuild.1"
_POD_IDENTITY = "v1.3.4-eksbuild.1 v1.3.9-eksbuild.3 v1.3.10-eksbuild.2 v1.3.10-eksbuild.3"
_EBS = "v1.53.0-eksbuild.1 v1.58.0-eksbuild.1 v1.59.0-eksbuild.1 v1.63.0-eksbuild.1 v1.63.1-eksbuild.1"
_DNS = "v1.12.4-eksbuild.1 v1.12.4-eksbuild.10 v1.12.4-eksbuild.18 v1.12.4-eksbuild.29 v1.13.2-eksbuild.4 "
_DNS += "v1.13.2-eksbuild.7 v1.13.2-eksbuild.11"

# Seen with 1.35 only.
_CNI_1_35 = f"{_CNI} v1.21.1-eksbuild.8 v1.23.1-eksbuild.1"
_DNS_1_35 = f"{_DNS} v1.13.2-eksbuild.21 v1.14.2-eksbuild.4 v1.14.3-eksbuild.3 v1.14.3-eksbuild.16 "
_DNS_1_35 += "v1.14.3-eksbuild.22"

ADDONS: Mapping[str, Mapping[str, Builds]] = {
    "vpc-cni": {**{minor: _builds(_CNI) for minor in ("1.33", "1.34")}, "1.35": _builds(_CNI_1_35)},
    "eks-pod-identity-agent": {minor: _builds(_POD_IDENTITY) for minor in ("1.33", "1.34", "1.35")},
    "aws-ebs-csi-driver": {minor: _builds(_EBS) for minor in ("1.33", "1.34", "1.35")},
    "coredns": {
        "1.28": _builds("v1.10.1-eksbuild.15", NETWORKING),
        "1.29": _builds("v1.11.3-eksbuild.2", NETWORKING),
        "1.30": _builds("v1.11.3-eksbuild.2", NETWORKING),
        "1.31": _builds("v1.11.3-eksbuild.2", NETWORKING),
        "1.32": _builds("v1.11.4-eksbuild.2 v1.11.4-eksbuild.40"),
        **{minor: _builds(_DNS) for minor in ("1.33", "1.34")},
        "1.35": _builds(_DNS_1_35),
    },
    "kube-proxy": {
        "1.29": _builds("v1.29.10-eksbuild.3", NETWORKING),
        "1.30": _builds("v1.30.6-eksbuild.3", NETWORKING),
        "1.31": _builds("v1.31.2-eksbuild.3", NETWORKING),
        "1.32": _builds("v1.32.13-eksbuild.21"),
        "1.33": _builds("v1.33.10-eksbuild.2 v1.33.10-eksbuild.18"),
        "1.34": _builds(
            "v1.34.0-eksbuild.2 v1.34.6-eksbuild.2 v1.34.6-eksbuild.5 v1.34.6-eksbuild.8 v1.34.6-eksbuild.13 "
            "v1.34.6-eksbuild.17 v1.34.6-eksbuild.18 v1.34.6-eksbuild.21"
        ),
        "1.35": _builds(
            "v1.35.3-eksbuild.2 v1.35.3-eksbuild.5 v1.35.3-eksbuild.13 v1.35.3-eksbuild.17 "
            "v1.35.3-eksbuild.18 v1.35.3-eksbuild.21 v1.35.3-eksbuild.25 v1.35.3-eksbuild.29"
        ),
    },
    "metrics-server": {
        "1.34": _builds("v0.8.0-eksbuild.3 v0.8.1-eksbuild.6 v0.9.0-eksbuild.7"),
        "1.35": _builds("v0.8.1-eksbuild.6 v0.9.0-eksbuild.5"),
    },
}
"""Add-on -> Kubernetes version -> versions seen. Others are not known, so not refused."""

OF_KUBERNETES = frozenset({"kube-proxy"})
"""Add-ons whose version starts with Kubernetes' own. Theirs is at most the cluster's, and at most three minor
versions before it: https://kubernetes.io/releases/version-skew-policy/#kube-proxy"""
