"""Celeborn's configuration files, rendered from what a cluster has."""

from collections.abc import Mapping, Sequence

MASTERS = 3
"""They vote, so an odd number; each on a node of its own."""

WORKER_CPUS = 12
"""Cores that a worker asks for, on a machine of 16 (data-on-eks has 26 on one of 32)."""

MASTER_PORT = 9097
MASTER_HTTP_PORT = 9098
RATIS_PORT = 9872
WORKER_HTTP_PORT = 9096

WORKER_PORTS: Mapping[str, int] = {"rpc": 9091, "push": 9092, "fetch": 9093, "replicate": 9094}
"""Fixed: a worker is known by its host and all of these, and must come back as the one that it was."""

GRACEFUL_SHUTDOWN = 600
"""Seconds that a worker has to finish what it was given before it goes."""

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


def master_hosts(namespace: str, masters: int) -> list[str]:
    """Host names of the masters, each the same for ever."""
    return [f"celeborn-master-{n}.celeborn-master.{namespace}.svc.cluster.local" for n in range(masters)]


def endpoints(namespace: str, masters: int) -> str:
    """Where clients and workers find the masters: `spark.celeborn.master.endpoints`."""
    return ",".join(f"{host}:{MASTER_PORT}" for host in master_hosts(namespace, masters))


def files(namespace: str, masters: int, folders: Sequence[str], gib: int) -> dict[str, str]:
    """The files of Celeborn's configuration folder, by name.

    folders: one for each disk of a worker, of `gib` GiB each.
    """
    return {
        "celeborn-defaults.conf": _lines(configuration(namespace, masters, folders, gib)),
        "log4j2.xml": LOG4J2,
        "metrics.properties": _lines(
            {"*.sink.prometheusServlet.class": ("org.apache.celeborn.common.metrics.sink.PrometheusServlet")}
        ),
    }


def configuration(namespace: str, masters: int, folders: Sequence[str], gib: int) -> dict[str, str]:
    """Settings of masters and workers."""
    return {
        "celeborn.master.endpoints": endpoints(namespace, masters),
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
        # Longer than a worker's restart, so that its data is not given up for lost meanwhile.
        "celeborn.master.heartbeat.worker.timeout": "180s",
        # By name: the address of a pod is another one after each restart.
        "celeborn.network.bind.preferIpAddress": "false",
        "celeborn.worker.http.port": str(WORKER_HTTP_PORT),
        **{f"celeborn.worker.{purpose}.port": str(port) for purpose, port in WORKER_PORTS.items()},
        "celeborn.worker.storage.dirs": ",".join(
            f"{folder}:disktype=SSD:capacity={gib}g" for folder in folders
        ),
        # It looks for block devices that a container does not see.
        "celeborn.worker.monitor.disk.enabled": "false",
        "celeborn.worker.graceful.shutdown.enabled": "true",
        "celeborn.worker.graceful.shutdown.timeout": f"{GRACEFUL_SHUTDOWN}s",
        # What it committed is in there; elsewhere than on a disk of its own it is lost with the container.
        "celeborn.worker.graceful.shutdown.recoverPath": f"{folders[0]}/recover",
        "celeborn.metrics.enabled": "true",
    }


def _lines(properties: Mapping[str, str]) -> str:
    return "".join(f"{key}={value}\n" for key, value in properties.items())
