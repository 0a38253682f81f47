"""Spark configuration that a job may not set: keys with a field of the job, and keys of the platform."""

from collections.abc import Iterator, Mapping

from moka.jobs.job import Job
from moka.mistakes import Mistake

EVENT_LOG_FILES = "event logs are uploaded while they grow, in files of this form"
PERMISSIONS = "a job has the permissions of its namespace, and nothing secret is in conf"
SUBMITTER = "the operator reads it where it submits, with its own rights"

FIELDS: Mapping[str, str] = {
    "spark.app.name": "name",
    "spark.submit.pyFiles": "dependencies.py_files",
    "spark.jars": "dependencies.jars",
    "spark.jars.packages": "dependencies.packages",
    "spark.jars.excludes": "dependencies.exclude_packages",
    "spark.jars.repositories": "dependencies.repositories",
    "spark.files": "dependencies.files",
    "spark.archives": "dependencies.archives",
    "spark.pyspark.python": "python",
    "spark.pyspark.driver.python": "python",
    "spark.driver.cores": "driver.cores",
    "spark.driver.memory": "driver.memory",
    "spark.driver.memoryOverhead": "driver.overhead",
    "spark.driver.memoryOverheadFactor": "driver.overhead",
    "spark.driver.minMemoryOverhead": "driver.overhead",
    "spark.executor.cores": "executor.cores",
    "spark.executor.memory": "executor.memory",
    "spark.executor.memoryOverhead": "executor.overhead",
    "spark.executor.memoryOverheadFactor": "executor.overhead",
    "spark.executor.minMemoryOverhead": "executor.overhead",
    "spark.executor.resource.gpu.*": "executor.gpus",
    "spark.executor.pyspark.memory": "executor.overhead",
    "spark.executor.instances": "executor.instances",
    "spark.memory.offHeap.enabled": "executor.off_heap",
    "spark.memory.offHeap.size": "executor.off_heap",
    "spark.dynamicAllocation.enabled": "executor.dynamic",
    "spark.dynamicAllocation.minExecutors": "executor.dynamic.minimum",
    "spark.dynamicAllocation.maxExecutors": "executor.dynamic.maximum",
    "spark.dynamicAllocation.initialExecutors": "executor.dynamic.initial",
    "spark.dynamicAllocation.executorIdleTimeout": "executor.dynamic.idle_seconds",
    "spark.shuffle.manager": "celeborn",
    "spark.shuffle.sort.io.plugin.class": "celeborn",
    "spark.kubernetes.namespace": "namespace",
    "spark.kubernetes.memoryOverheadFactor": "driver.overhead and executor.overhead",
    "spark.kubernetes.local.dirs.tmpfs": "scratch_gib",
    "spark.kubernetes.pyspark.pythonVersion": "python",
    "spark.kubernetes.driver.request.cores": "driver.core_request",
    "spark.kubernetes.executor.request.cores": "executor.core_request",
    "spark.kubernetes.container.image.pullSecrets": "image_pull_secrets",
    "spark.kubernetes.container.image": "image",
    "spark.kubernetes.driver.container.image": "image",
    "spark.kubernetes.executor.container.image": "image",
    "spark.kubernetes.driverEnv.*": "env",
    "spark.executorEnv.*": "env",
    "spark.kubernetes.driver.secretKeyRef.*": "secrets",
    "spark.kubernetes.executor.secretKeyRef.*": "secrets",
    "spark.kubernetes.driver.secrets.*": "secrets",
    "spark.kubernetes.executor.secrets.*": "secrets",
    "spark.kubernetes.driver.label.*": "labels",
    "spark.kubernetes.executor.label.*": "labels",
    "spark.kubernetes.driver.annotation.*": "annotations",
    "spark.kubernetes.executor.annotation.*": "annotations",
    "spark.kubernetes.node.selector.*": "architecture",
    "spark.kubernetes.driver.node.selector.*": "architecture",
    "spark.kubernetes.executor.node.selector.*": "architecture",
    "spark.kubernetes.driver.volumes.*": "host_mounts or scratch_gib",
    "spark.kubernetes.executor.volumes.*": "host_mounts or scratch_gib",
}
"""Key, or prefix of keys, -> the field of the job to set instead."""

SUBMITTER_KEYS = (
    "spark.kubernetes.kerberos.*",
    "spark.kubernetes.hadoop.configMapName",
    "spark.kubernetes.file.upload.path",
    "spark.kerberos.*",
    "spark.yarn.*",
    "spark.security.credentials.*",
    "spark.jars.ivySettings",
    "spark.driver.userClassPathFirst",
    "spark.submit.*",
)
"""Of `SUBMISSION`, those that are reserved for that reason only."""

PLATFORM: Mapping[str, str] = {
    "spark.master": "the operator chooses it",
    "spark.submit.deployMode": "a driver runs in the cluster",
    "spark.remote": "a driver runs in the cluster",
    "spark.app.id": "Spark chooses it, and YuniKorn identifies applications by it",
    "spark.driver.port": "network policies name the port",
    "spark.driver.blockManager.port": "network policies name the port",
    "spark.blockManager.port": "network policies name the port",
    "spark.driver.host": "executors find the driver by its Service",
    "spark.driver.bindAddress": "executors find the driver by its Service",
    "spark.ui.enabled": "the UI's address and the metrics depend on it",
    "spark.ui.killEnabled": "who may stop a job, Kubernetes decides: delete its SparkApplication",
    "spark.ui.port": "the UI's address and the metrics depend on it",
    "spark.ui.reverseProxy": "the UI has a host name of its own",
    "spark.ui.reverseProxyUrl": "the UI has a host name of its own",
    "spark.ui.proxyBase": "the UI has a host name of its own",
    "spark.eventLog.enabled": "the History Server reads event logs",
    "spark.eventLog.dir": "the History Server reads event logs",
    "spark.eventLog.rolling.enabled": "the History Server reads event logs",
    "spark.eventLog.rolling.maxFileSize": EVENT_LOG_FILES,
    "spark.eventLog.compress": EVENT_LOG_FILES,
    "spark.eventLog.compression.codec": EVENT_LOG_FILES,
    "spark.eventLog.overwrite": EVENT_LOG_FILES,
    "spark.eventLog.buffer.kb": EVENT_LOG_FILES,
    "spark.jars.ivy": "the operator can write Maven packages only there",
    "spark.hadoop.fs.s3a.impl": "the operator has another one than drivers",
    "spark.hadoop.fs.s3a.aws.credentials.provider": PERMISSIONS,
    "spark.hadoop.fs.s3a.access.key": PERMISSIONS,
    "spark.hadoop.fs.s3a.secret.key": PERMISSIONS,
    "spark.hadoop.fs.s3a.session.token": PERMISSIONS,
    "spark.shuffle.service.enabled": "no node has Spark's shuffle service",
    "spark.dynamicAllocation.shuffleTracking.enabled": "it follows from where shuffle data is kept",
    "spark.decommission.enabled": "machines come and go",
    "spark.celeborn.master.endpoints": "the platform knows where Celeborn is",
    "spark.celeborn.client.push.replicate.enabled": "Celeborn's disks go with their node",
    "spark.celeborn.client.reserveSlots.rackaware.enabled": "the platform knows where Celeborn is",
    "spark.celeborn.client.shuffle.manager.port": "network policies name it",
    "spark.celeborn.identity.*": "quotas are by organization",
    "spark.celeborn.quota.identity.*": "quotas are by organization",
    "spark.kubernetes.authenticate.*": "the service account is the namespace's",
    "spark.kubernetes.context": "the operator submits",
    "spark.kubernetes.trust.certificates": "the operator submits",
    **dict.fromkeys(SUBMITTER_KEYS, SUBMITTER),
    "spark.kubernetes.driver.master": "a driver uses its own cluster",
    "spark.kubernetes.scheduler.name": "YuniKorn places jobs",
    "spark.kubernetes.driver.scheduler.name": "YuniKorn places jobs",
    "spark.kubernetes.executor.scheduler.name": "YuniKorn places jobs",
    "spark.kubernetes.driver.limit.cores": "any pod may use an idle core",
    "spark.kubernetes.executor.limit.cores": "any pod may use an idle core",
    "spark.kubernetes.driver.pod.name": "it follows from the name",
    "spark.kubernetes.driver.resourceNamePrefix": "it follows from the name",
    "spark.kubernetes.executor.podNamePrefix": "it follows from the name",
    "spark.kubernetes.driver.podTemplateFile": "pod templates are the platform's",
    "spark.kubernetes.executor.podTemplateFile": "pod templates are the platform's",
    "spark.kubernetes.driver.podTemplateContainerName": "pod templates are the platform's",
    "spark.kubernetes.executor.podTemplateContainerName": "pod templates are the platform's",
    "spark.kubernetes.driver.pod.featureSteps": "pod templates are the platform's",
    "spark.kubernetes.executor.pod.featureSteps": "pod templates are the platform's",
    "spark.kubernetes.driver.pod.excludedFeatureSteps": "pod templates are the platform's",
    "spark.kubernetes.executor.pod.excludedFeatureSteps": "pod templates are the platform's",
    "spark.kubernetes.executor.terminationGracePeriodSeconds": "it is as long as a node has to shut down",
    "spark.kubernetes.submission.waitAppCompletion": "the operator submits, and does not wait",
}
"""Key, or prefix of keys, -> why the platform sets it."""

SUBMISSION = (
    *SUBMITTER_KEYS,
    "spark.master",
    "spark.remote",
    "spark.jars",
    "spark.files",
    "spark.archives",
    "spark.jars.packages",
    "spark.jars.repositories",
    "spark.kubernetes.namespace",
    "spark.kubernetes.context",
    "spark.kubernetes.trust.certificates",
    "spark.kubernetes.authenticate.submission.*",
    "spark.kubernetes.authenticate.ca*",
    "spark.kubernetes.authenticate.client*",
    "spark.kubernetes.authenticate.oauth*",
    "spark.kubernetes.authenticate.driver.ca*",
    "spark.kubernetes.authenticate.driver.client*",
    "spark.kubernetes.authenticate.driver.oauth*",
    "spark.kubernetes.authenticate.driver.mounted.*",
    "spark.kubernetes.driver.master",
    "spark.kubernetes.driver.podTemplateFile",
    "spark.kubernetes.executor.podTemplateFile",
    "spark.kubernetes.driver.pod.featureSteps",
    "spark.kubernetes.driver.pod.excludedFeatureSteps",
)
"""Keys, and beginnings of keys, that `spark-submit` goes by where it runs, which is the operator's pod: where
and as whom it submits, what of its own files it reads, and what of the job's it runs. Nobody may set them,
however an application is made (components/kubernetes/job_submission.py). Sources, in apache/spark v4.1:
core/.../deploy/SparkSubmit.scala and SparkSubmitArguments.scala; in resource-managers/kubernetes/core
Config.scala and KerberosConfDriverFeatureStep.scala, which puts the file of
`spark.kubernetes.kerberos.krb5.path` into a ConfigMap."""

WITH_CELEBORN: Mapping[str, str] = {
    "spark.serializer": "Celeborn needs Kryo",
    "spark.sql.adaptive.localShuffleReader.enabled": "the executor's disk has no shuffle files with Celeborn",
    "spark.storage.decommission.shuffleBlocks.enabled": (
        "the executor's disk has no shuffle files with Celeborn"
    ),
}
"""Key -> why the platform sets it for jobs on Celeborn."""


def reserved_keys(job: Job) -> Iterator[Mistake]:
    """Mistakes in the configuration of a job: keys that it may not set, with what to do instead."""
    for key in sorted(job.conf):
        if (field := _lookup(FIELDS, key)) is not None:
            yield Mistake(f"conf.{key}", f"is set by the job's own {field}; use that")
        elif (why := _lookup(PLATFORM, key)) is not None:
            yield Mistake(f"conf.{key}", f"is set by the platform, as {why}; remove it")
        elif job.celeborn and key in WITH_CELEBORN:
            yield Mistake(
                f"conf.{key}", f"is set by the platform, as {WITH_CELEBORN[key]}; remove it, or celeborn"
            )


def _lookup(table: Mapping[str, str], key: str) -> str | None:
    if key in table:
        return table[key]
    prefixes = (entry for entry in table if entry.endswith(".*") and key.startswith(entry[:-1]))
    return next((table[prefix] for prefix in prefixes), None)
