"""Hive's own metastore server, as a process: Spark has it among its jars, of the release of its client."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from localcloud.loopback import free_port, port_taken
from tests.support.spark_releases import spark_home
from tests.support.uploader_process import wait_for

SITE = """<configuration>
  <property>
    <name>javax.jdo.option.ConnectionURL</name><value>jdbc:derby:memory:metastore;create=true</value>
  </property>
  <property><name>datanucleus.schema.autoCreateAll</name><value>true</value></property>
  <property><name>hive.metastore.schema.verification</name><value>false</value></property>
  <property><name>hive.async.log.enabled</name><value>false</value></property>
</configuration>
"""
"""On Derby, in memory. Hive's asynchronous log needs a library that Spark leaves out."""

OPENS = ("java.lang", "java.net", "java.util", "java.util.concurrent")


@contextmanager
def hive_metastore(folder: Path) -> Iterator[str]:
    """A metastore with its log in a folder -> its address, `thrift://host:port`."""
    (folder / "hive-site.xml").write_text(SITE)
    port = free_port()
    command = [
        "java",
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENS),
        *("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", f"-Djava.io.tmpdir={folder}"),
        *("-cp", f"{folder}:{spark_home()}/jars/*"),
        *("org.apache.hadoop.hive.metastore.HiveMetaStore", "-p", str(port)),
    ]
    log = folder / "metastore.log"
    with (
        log.open("wb") as output,
        subprocess.Popen(command, stdout=output, stderr=output, cwd=folder) as server,
    ):
        try:
            wait_for(lambda: port_taken(port) or _must_run(server, log), 120)
            yield f"thrift://127.0.0.1:{port}"
        finally:
            server.kill()


def _must_run(server: subprocess.Popen[bytes], log: Path) -> bool:
    assert server.poll() is None, log.read_text()[-3000:]
    return False
