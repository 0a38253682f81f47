"""Celeborn's configuration files, rendered from what a cluster has."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

FOLDER = "/opt/celeborn/conf"
"""Where the image looks for its configuration."""

MASTER_PORT = 9097
MASTER_HTTP_PORT = 9098
RATIS_PORT = 9872
WORKER_HTTP_PORT = 9096

WORKER_PORTS: Mapping[str, int] = {"rpc": 9091, "push": 9092, "fetch": 9093, "replicate": 9094}
"""Fixed: a worker is known by its host and all of these, and must come back as the one that it was."""

CLIENT_PORTS = (MASTER_PORT, *(WORKER_PORTS[purpose] for purpose in ("rpc", "push", "fetch")))
"""Ports that jobs use; only workers use `replicate`, among themselves."""

EVERY_ADDRESS = "0.0.0.0"
"""Where pages and the REST API are served: a forwarded port comes to 127.0.0.1. Celeborn's own default is the
host's name, and so only the pod's address (apache/celeborn v0.7.0: CelebornConf.scala, HttpServer.scala)."""

COMMIT_SECONDS, SORT_SECONDS = 480, 120
"""How long, at most, a worker that restarts waits for its writers, and then for its sorters."""

RESTART_SECONDS = COMMIT_SECONDS + SORT_SECONDS
"""How long a worker may take to stop for a restart."""

NODE_RESERVE = 0.2
"""Share of a node's instance storage for images and logs, as kubelet and containerd are there too, and for
staying free: from 85% on the kubelet takes images away, and from 90% on no worker comes to the node any more,
not even to clear away what one left there (kubernetes.io, "Node-pressure Eviction"; awslabs/amazon-eks-ami:
nodeadm/internal/kubelet/config.go, nodefs.available)."""

VOLUME_RESERVE = 0.05
"""Share of a volume that stays free: room for what is on its way while a worker sees that it is full."""

HEARTBEAT_TIMEOUT_SECONDS = 180
"""Without a heartbeat for so long, a worker's data is given up for lost: longer than a restart takes from the
last heartbeat to its return."""

HANDOVER_SECONDS = 30
"""Time for a master to hand over leadership before it stops."""

DYNAMIC_FILE = "dynamicConfig.yaml"
"""A file that Celeborn reads again by itself when it changes."""

RACK_SCRIPT = "rack.sh"
"""A worker runs it to learn its rack, which is its zone, and reports that to the masters."""

RACK_SH = """\
#!/bin/bash
for _ in "$@"; do echo "/${ZONE:-default-rack}"; done
"""

LEAVE_SCRIPT = "leave.sh"
"""A worker runs it before it has to stop."""

RATIS_FOLDER = "/mnt/ratis"

LOG4J2 = """\
<Configuration status="WARN">
  <Appenders>
    <Console name="stdout" target="SYSTEM_OUT">
      <PatternLayout pattern="%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %p [%t] %c{1}: %m%n%ex"/>
    </Console>
  </Appenders>
  <Loggers>
    <Root level="INFO"><AppenderRef ref="stdout"/></Root>
    <Logger name="org.apache.ratis" level="WARN"/>
  </Loggers>
</Configuration>
"""


@dataclass(frozen=True, kw_only=True)
class WorkerSet:
    """Workers with stable names, counted from 0.

    name: of their StatefulSet.
    zone: where all of them are; None where Celeborn does not decide that.
    """

    name: str
    zone: str | None
    count: int


@dataclass(frozen=True, kw_only=True)
class Quota:
    """The most that a tenant may have in Celeborn at a time, copies included; None for no limit.

    gib: of shuffle data, GiB.
    files: of shuffle data.
    """

    gib: int | None = None
    files: int | None = None


def worker_sets(workers: int, zones: Sequence[str]) -> list[WorkerSet]:
    """One set of workers, or in several zones one for each, as equal as can be.

    A pod cannot find out its zone, so each worker is kept in one and gets its name.
    """
    if len(zones) < 2:
        return [WorkerSet(name="celeborn-worker", zone=None, count=workers)]
    share, rest = divmod(workers, len(zones))
    return [
        WorkerSet(name=f"celeborn-worker-{zone}", zone=zone, count=share + (n < rest))
        for n, zone in enumerate(sorted(zones))
    ]


def master_hosts(namespace: str, masters: int) -> list[str]:
    """Host names of the masters, which never change."""
    return [f"celeborn-master-{n}.celeborn-master.{namespace}.svc.cluster.local" for n in range(masters)]


def endpoints(namespace: str, masters: int) -> str:
    """Addresses of the masters for clients and workers: `spark.celeborn.master.endpoints`."""
    return ",".join(f"{host}:{MASTER_PORT}" for host in master_hosts(namespace, masters))


def files(
    namespace: str,
    masters: int,
    folders: Sequence[str],
    gib: int,
    reserve: float,
    drain_hours: int,
    rack_aware: bool,
) -> dict[str, str]:
    """Files of Celeborn's configuration folder that it reads only at its start, by name.

    folders: one for each disk of a worker, of `gib` GiB each.
    reserve: share of each disk's file system that is to stay free.
    drain_hours: how long, at most, a worker that leaves for good waits until its data is not needed.
    rack_aware: workers are in several zones, and report theirs to the masters.
    """
    return {
        "celeborn-defaults.conf": _lines(
            configuration(namespace, masters, folders, gib, reserve, drain_hours, rack_aware)
        ),
        "log4j2.xml": LOG4J2,
        "metrics.properties": _lines(
            {"*.sink.prometheusServlet.class": ("org.apache.celeborn.common.metrics.sink.PrometheusServlet")}
        ),
        RACK_SCRIPT: RACK_SH,
        LEAVE_SCRIPT: Path(__file__).with_name("leave.sh").read_text(),
    }


def dynamic(quotas: Mapping[str, Quota]) -> str:
    """Configuration by tenant: quotas."""
    tenants = [
        {
            "level": "TENANT",
            "tenantId": tenant,
            "config": {
                key: value
                for key, value in {
                    "celeborn.quota.tenant.diskBytesWritten": None if quota.gib is None else f"{quota.gib}g",
                    "celeborn.quota.tenant.diskFileCount": None if quota.files is None else str(quota.files),
                }.items()
                if value is not None
            },
        }
        for tenant, quota in quotas.items()
    ]
    # At least one entry: with an empty list, Celeborn would keep the former quotas.
    return yaml.safe_dump([{"level": "SYSTEM", "config": {}}, *tenants], sort_keys=False)


def configuration(
    namespace: str,
    masters: int,
    folders: Sequence[str],
    gib: int,
    reserve: float,
    drain_hours: int,
    rack_aware: bool,
) -> dict[str, str]:
    """Properties of masters and workers."""
    return {
        "celeborn.master.endpoints": endpoints(namespace, masters),
        "celeborn.master.http.host": EVERY_ADDRESS,
        "celeborn.master.http.port": str(MASTER_HTTP_PORT),
        "celeborn.master.ha.enabled": "true",
        "celeborn.master.ha.ratis.raft.server.storage.dir": RATIS_FOLDER,
        **{
            f"celeborn.master.ha.node.{n}.{key}": value
            for n, host in enumerate(master_hosts(namespace, masters))
            for key, value in {
                "host": host,
                "port": str(MASTER_PORT),
                "ratis.port": str(RATIS_PORT),
            }.items()
        },
        "celeborn.master.ha.graceful.shutdown.enabled": "true",
        "celeborn.master.ha.graceful.shutdown.timeout": f"{HANDOVER_SECONDS}s",
        "celeborn.master.heartbeat.worker.timeout": f"{HEARTBEAT_TIMEOUT_SECONDS}s",
        # By name: the address of a pod is another one after each restart.
        "celeborn.network.bind.preferIpAddress": "false",
        "celeborn.worker.http.host": EVERY_ADDRESS,
        "celeborn.worker.http.port": str(WORKER_HTTP_PORT),
        **{f"celeborn.worker.{purpose}.port": str(port) for purpose, port in WORKER_PORTS.items()},
        "celeborn.worker.storage.dirs": ",".join(
            f"{folder}:disktype=SSD:capacity={gib}g" for folder in folders
        ),
        # `capacity` counts only files that are being written; this is what keeps a disk from being full
        # (apache/celeborn v0.7.0: StorageManager.updateDiskInfos).
        "celeborn.worker.storage.disk.reserve.ratio": str(reserve),
        # A disk that fails, or is full, takes no more data. Not `iohang`: it does not go with a RAID, which
        # instance storage is (apache/celeborn v0.7.0: docs/deploy.md, ObservedDevice.scala).
        "celeborn.worker.monitor.disk.enabled": "true",
        "celeborn.worker.monitor.disk.checklist": "readwrite,diskusage",
        "celeborn.worker.graceful.shutdown.enabled": "true",
        "celeborn.worker.graceful.shutdown.checkSlotsFinished.timeout": f"{COMMIT_SECONDS}s",
        "celeborn.worker.graceful.shutdown.partitionSorter.shutdownTimeout": f"{SORT_SECONDS}s",
        "celeborn.worker.graceful.shutdown.timeout": f"{RESTART_SECONDS}s",
        # What it committed is recorded there; outside of its own disks it would be lost with the container.
        "celeborn.worker.graceful.shutdown.recoverPath": f"{folders[0]}/recover",
        "celeborn.worker.decommission.forceExitTimeout": f"{drain_hours}h",
        "celeborn.dynamicConfig.store.backend": "FS",
        "celeborn.dynamicConfig.store.fs.path": f"{FOLDER}/{DYNAMIC_FILE}",
        **(
            {
                # Hadoop's, after the prefix.
                "celeborn.hadoop.net.topology.script.file.name": f"{FOLDER}/{RACK_SCRIPT}",
                # Or a master that starts anew asks its own script, which knows no zone, and takes all workers
                # for one rack (apache/celeborn: AbstractMetaManager.restoreMetaFromFile).
                "celeborn.master.persist.workerNetworkLocation": "true",
            }
            if rack_aware
            else {}
        ),
        "celeborn.metrics.enabled": "true",
        # A label for each job would be new series with each job.
        "celeborn.metrics.worker.appLevel.enabled": "false",
    }


def _lines(properties: Mapping[str, str]) -> str:
    return "".join(f"{key}={value}\n" for key, value in properties.items())
