"""Where the logs of a job are in their bucket: the parts of an object's key.

    <cluster>/<namespace>/<application id>/<role>/<pod>/<container>/<UTC time>-<8 characters>.jsonl.gz

`cluster` is its name in EKS. Fluent Bit writes the keys, in the form that its pipeline.yaml has.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

NO_APPLICATION, NO_ROLE = "none", "unknown"
"""In place of application and role, of pods of which the kubelet said nothing: those that no Spark made, or
that were gone before they were asked for."""

APPLICATION_ID = re.compile(r"spark-[0-9a-f]+")
"""What Spark calls an application on Kubernetes, its pods' label `spark-app-selector`."""

DRIVER, EXECUTOR = "driver", "executor"
"""Roles of pods, their label `spark-role`."""

TIME_FORMAT = "%Y%m%dT%H%M%S"
SUFFIX = ".jsonl.gz"


@dataclass(frozen=True, kw_only=True, order=True)
class LogObject:
    """One object of logs; in the order of its container's writing, but for those of one second.

    begun: time of its first line, or of Fluent Bit's restart for what that left behind; in whole seconds.
    """

    cluster: str
    namespace: str
    application: str
    role: str
    pod: str
    container: str
    begun: datetime
    suffix: str

    @property
    def key(self) -> str:
        """Its key in the bucket."""
        return (
            container_prefix(
                self.cluster, self.namespace, self.application, self.role, self.pod, self.container
            )
            + f"{self.begun:{TIME_FORMAT}}-{self.suffix}{SUFFIX}"
        )


def container_prefix(
    cluster: str, namespace: str, application: str, role: str = "", pod: str = "", container: str = ""
) -> str:
    """Prefix of the keys of an application, or of a role, a pod or a container of it: the first parts."""
    parts = (cluster, namespace, application, role, pod, container)
    count = parts.index("") if "" in parts else len(parts)
    return "".join(f"{part}/" for part in parts[:count])


def log_object(key: str) -> LogObject | None:
    """The object of a key; None for a key that is of no job's logs."""
    *parts, name = key.split("/")
    match = re.fullmatch(rf"(\d{{8}}T\d{{6}})-(\w+){re.escape(SUFFIX)}", name)
    if len(parts) != 6 or not all(parts) or match is None:
        return None
    try:
        begun = datetime.strptime(match[1], TIME_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        return None
    cluster, namespace, application, role, pod, container = parts
    return LogObject(
        cluster=cluster,
        namespace=namespace,
        application=application,
        role=role,
        pod=pod,
        container=container,
        begun=begun,
        suffix=match[2],
    )
