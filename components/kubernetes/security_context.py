"""Security contexts of our own pods: at the level `restricted` of the Pod Security Standards."""

import pulumi_kubernetes as k8s


def pod_security_context(
    uid: int, *, fs_group: int | None = None, fs_group_change_policy: str | None = None
) -> k8s.core.v1.PodSecurityContextArgs:
    """One user and group, not root.

    fs_group: group of the files of its volumes. fs_group_change_policy: when they are given to it.
    """
    return k8s.core.v1.PodSecurityContextArgs(
        run_as_user=uid,
        run_as_group=uid,
        run_as_non_root=True,
        fs_group=fs_group,
        fs_group_change_policy=fs_group_change_policy,
        seccomp_profile=k8s.core.v1.SeccompProfileArgs(type="RuntimeDefault"),
    )


def container_security_context(*, read_only: bool | None = None) -> k8s.core.v1.SecurityContextArgs:
    """No more privileges than its user has. read_only: its root filesystem is."""
    return k8s.core.v1.SecurityContextArgs(
        allow_privilege_escalation=False,
        read_only_root_filesystem=read_only,
        capabilities=k8s.core.v1.CapabilitiesArgs(drop=["ALL"]),
    )
