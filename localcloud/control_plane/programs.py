"""The programs of a control plane, in the order in which they start, and their flags."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aws_rules.access.identity import PRINCIPAL
from localcloud import tools
from localcloud.cloud import REPOSITORY

# kwok's own stages, which simulate a machine and its pods; heartbeats are leases, which kwok itself renews.
STAGES = (
    "node/fast/node-initialize.yaml",
    "pod/fast/pod-complete.yaml",
    "pod/fast/pod-delete.yaml",
)
# Ours have pods wait for their images, and simulate Spark's.
OUR_STAGES = tuple(sorted((Path(__file__).parent / "stages").glob("*.yaml")))


DECISION_SECONDS = 2
"""For so long the API server trusts what the authenticator has said; EKS's takes "several seconds"
(https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html)."""


def authorization(kubeconfig: Path) -> dict[str, Any]:
    """The API server's AuthorizationConfiguration: EKS's access policies beside RBAC.

    kubeconfig: by which the authenticator is asked.
    """
    return {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "AuthorizationConfiguration",
        "authorizers": [
            {"type": "Node", "name": "node"},
            {
                "type": "Webhook",
                "name": "access-policies",
                "webhook": {
                    "authorizedTTL": f"{DECISION_SECONDS}s",
                    "unauthorizedTTL": f"{DECISION_SECONDS}s",
                    "timeout": "10s",
                    "subjectAccessReviewVersion": "v1",
                    "matchConditionSubjectAccessReviewVersion": "v1",
                    "failurePolicy": "NoOpinion",
                    "connectionInfo": {"type": "KubeConfigFile", "kubeConfigFile": str(kubeconfig)},
                    "matchConditions": [{"expression": f"'{PRINCIPAL}' in request.extra"}],
                },
            },
            {"type": "RBAC", "name": "rbac"},
        ],
    }


@dataclass(frozen=True)
class Program:
    """A program of the control plane.

    flags: values are formats over the plane's parameters: `home`, `cluster`, `folder`, `credentials`,
        `stages`, its ports.
    environment: beyond the environment of the process that starts it.
    module: Python module that it is; one of the tools where it is empty.
    """

    name: str
    flags: Mapping[str, str]
    environment: Mapping[str, str] = field(default_factory=dict)
    module: str = ""

    def argv(self, parameters: Mapping[str, str]) -> list[str]:
        """The command line."""
        command = [sys.executable, "-m", self.module] if self.module else [str(tools.path(self.name))]
        return command + [f"--{flag}={value.format_map(parameters)}" for flag, value in self.flags.items()]


ETCD = Program(
    "etcd",
    {
        "name": "etcd",
        "data-dir": "{folder}/etcd",
        "listen-client-urls": "https://127.0.0.1:{etcd}",
        "advertise-client-urls": "https://127.0.0.1:{etcd}",
        "listen-peer-urls": "https://127.0.0.1:{etcd-peer}",
        "initial-advertise-peer-urls": "https://127.0.0.1:{etcd-peer}",
        "initial-cluster": "etcd=https://127.0.0.1:{etcd-peer}",
        "client-cert-auth": "true",
        "cert-file": "{credentials}/server.crt",
        "key-file": "{credentials}/server.key",
        "trusted-ca-file": "{credentials}/ca.crt",
        "peer-client-cert-auth": "true",
        "peer-cert-file": "{credentials}/server.crt",
        "peer-key-file": "{credentials}/server.key",
        "peer-trusted-ca-file": "{credentials}/ca.crt",
        # What was written survives the end of the process, not the end of the machine.
        "unsafe-no-fsync": "true",
        "auto-compaction-mode": "periodic",
        "auto-compaction-retention": "10m",
        "log-level": "warn",
    },
)

API_SERVER = Program(
    "kube-apiserver",
    {
        "bind-address": "127.0.0.1",
        "advertise-address": "127.0.0.1",
        "secure-port": "{kube-apiserver}",
        # The Service `kubernetes` would have to lead to a loopback address, which Kubernetes refuses.
        "endpoint-reconciler-type": "none",
        "etcd-servers": "https://127.0.0.1:{etcd}",
        "etcd-cafile": "{credentials}/ca.crt",
        "etcd-certfile": "{credentials}/server.crt",
        "etcd-keyfile": "{credentials}/server.key",
        "tls-cert-file": "{credentials}/server.crt",
        "tls-private-key-file": "{credentials}/server.key",
        # Of the programs of the control plane; everybody else is EKS's to know.
        "token-auth-file": "{credentials}/tokens.csv",
        "authentication-token-webhook-config-file": "{folder}/token-webhook.kubeconfig",
        "authentication-token-webhook-version": "v1",
        "authentication-token-webhook-cache-ttl": f"{DECISION_SECONDS}s",
        "authorization-config": "{folder}/authorization.json",
        "allow-privileged": "true",
        # In place of kubelets, whose machines are simulated: control_plane/kubelet.py.
        "kubelet-preferred-address-types": "ExternalDNS",
        "kubelet-certificate-authority": "{credentials}/ca.crt",
        "kubelet-client-certificate": "{credentials}/server.crt",
        "kubelet-client-key": "{credentials}/server.key",
        # Admission policies that change objects: they mark pods whose images are new (image_pulls.py).
        "feature-gates": "MutatingAdmissionPolicy=true",
        "runtime-config": "admissionregistration.k8s.io/v1beta1=true",
        "service-cluster-ip-range": "172.20.0.0/16",
        "service-account-issuer": "https://kubernetes.default.svc",
        "service-account-signing-key-file": "{credentials}/service-accounts.key",
        "service-account-key-file": "{credentials}/service-accounts.key",
        "profiling": "false",
    },
)

CONTROLLER_MANAGER = Program(
    "kube-controller-manager",
    {
        "kubeconfig": "{credentials}/kube-controller-manager.kubeconfig",
        "use-service-account-credentials": "true",
        "service-account-private-key-file": "{credentials}/service-accounts.key",
        "root-ca-file": "{credentials}/ca.crt",
        "leader-elect": "false",
        "secure-port": "0",
        # Nothing attaches volumes here, and nothing waits for it.
        # Its controllers get an account each when it starts, which takes seconds at the usual rate.
        "kube-api-qps": "500",
        "kube-api-burst": "1000",
        "controllers": "*,-persistentvolume-attach-detach-controller",
        "node-monitor-grace-period": "150s",
        # Instead of 5m: a quota of a new definition's objects is waited for until it counts.
        "resource-quota-sync-period": "10s",
        "profiling": "false",
    },
)

SCHEDULER = Program(
    "kube-scheduler",
    {
        "kubeconfig": "{credentials}/kube-scheduler.kubeconfig",
        "leader-elect": "false",
        "secure-port": "0",
        "profiling": "false",
    },
)

KWOK = Program(
    "kwok",
    {
        "kubeconfig": "{folder}/kubeconfig",
        "config": "{stages}",
        "manage-nodes-with-annotation-selector": "kwok.x-k8s.io/node=fake",
        # Each of up to hundreds of nodes is renewed every quarter of it.
        "node-lease-duration-seconds": "120",
        "cidr": "100.64.0.0/10",
        # At other levels it logs every lease that it renews.
        "v": "WARN",
    },
)

OUR_ENVIRONMENT = {"PYTHONPATH": str(REPOSITORY)}

AUTHENTICATOR = Program(
    "authenticator",
    {
        "home": "{home}",
        "cluster": "{cluster}",
        "credentials": "{credentials}",
        "port": "{authenticator}",
    },
    OUR_ENVIRONMENT,
    module="localcloud.authenticator",
)

CARETAKER = Program(
    "caretaker",
    {"home": "{home}", "cluster": "{cluster}"},
    OUR_ENVIRONMENT,
    module="localcloud.control_plane.caretaker",
)

IMAGE_PULLER = Program(
    "image-puller",
    {"home": "{home}", "cluster": "{cluster}"},
    OUR_ENVIRONMENT,
    module="localcloud.image_puller",
)

SERVERS = (ETCD, AUTHENTICATOR, API_SERVER)
CLIENTS = (CONTROLLER_MANAGER, SCHEDULER, KWOK, CARETAKER, IMAGE_PULLER)
