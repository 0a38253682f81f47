import pytest

from moka.jobs.application import spark_application
from moka.jobs.job_target import Celeborn
from moka.jobs.reserved import SUBMISSION
from moka.machines.machine_capacity import (
    MachineCapacity,
    NodeGroupShape,
    largest_gpu_machines,
    largest_machines,
)
from moka.mistakes import InvalidDocument

PYTHON = {"language": "python", "main_file": "local:///main.py", "main_class": None}
LONG = "a" * 30
WITH_GPUS = {
    "gpu_machines": largest_gpu_machines(
        [NodeGroupShape(role="executor", architecture="amd64", instance_types=["g6.8xlarge"])]
    )
}
ONLY_ARM = largest_machines(
    NodeGroupShape(role=role, architecture="arm64", instance_types=["r7g.2xlarge"])
    for role in ("driver", "executor")
)

# What is different in the job, and in the target; what its owner reads.
REFUSED = {
    "a namespace with a slip of the pen": (
        {"namespace": "spark-job"},
        {},
        "namespace: spark-job is not a job namespace of spark-a; did you mean 'spark-jobs'?",
    ),
    "an unknown namespace": (
        {"namespace": "production"},
        {},
        "namespace: production is not a job namespace of spark-a; choose one of science, spark-jobs.",
    ),
    "a queue with a slip of the pen": (
        {"queue": "analytics.report"},
        {},
        "queue: analytics.report is not a queue of spark-a; did you mean 'analytics.reports'?",
    ),
    "an unknown queue": (
        {"queue": "finance.ledger"},
        {},
        "queue: finance.ledger is not a queue of spark-a; choose one of analytics.reports, science.models.",
    ),
    "a queue that is not for its namespace": (
        {"queue": "analytics.reports", "tier": 1},
        {"claims": {"spark-jobs": ["^root[.]analytics[.][^.]+[.]tier[23]$"]}},
        "queue: root.analytics.reports.tier1 is not for jobs of namespace spark-jobs; did you mean "
        "'root.analytics.reports.tier2'?",
    ),
    "more executors than a job of its namespace may have": (
        {"executor": {"instances": 51}},
        {"most_executors": {"spark-jobs": 50}},
        "executor.instances: is 51, but a job of namespace spark-jobs has at most 50 executors; lower it.",
    ),
    "a maximum of executors above that of its namespace": (
        {"executor": {"dynamic": {"maximum": 51}}},
        {"most_executors": {"spark-jobs": 50}},
        "executor.dynamic.maximum: is 51, but a job of namespace spark-jobs has at most 50 executors; lower "
        "it.",
    ),
    "a tier that its project has not": (
        {"tier": 3},
        {},
        "tier: is 3, but analytics.reports has only tiers 1 and 2; choose one.",
    ),
    "a queue that no label can name": (
        {"queue": f"{LONG}.{LONG}"},
        {"queues": {f"root.{LONG}.{LONG}.tier1": {}}},
        f"queue: root.{LONG}.{LONG}.tier1 has 72 characters, but pods have it as a label, "
        "which holds 63; choose one with a shorter name.",
    ),
    "an architecture without machines": (
        {"architecture": "amd64"},
        {"machines": ONLY_ARM},
        "architecture: is amd64, but spark-a has machines for drivers and executors only of arm64; choose "
        "that.",
    ),
    "a driver with more memory than any machine": (
        {"driver": {"memory": "60g"}},
        {},
        "driver: requests 1 core and 66 GiB with overhead, but the largest driver node of arm64 has "
        "7.41 cores "
        "and 57.7 GiB for a pod; request less.",
    ),
    "an executor with more cores than any machine": (
        {"executor": {"cores": 16, "instances": 1}},
        {},
        "executor: requests 16 cores and 4.4 GiB with overhead, but the largest executor node of arm64 has "
        "15.39 cores and 118.5 GiB for a pod; request less.",
    ),
    "an executor that would fit but for the memory beside its heap": (
        {**PYTHON, "executor": {"memory": "100g", "instances": 1}},
        {},
        "executor: requests 1 core and 140 GiB with overhead, but the largest executor node of arm64 has "
        "15.39 cores and 118.5 GiB for a pod; request less.",
    ),
    "an executor that no machine of any architecture has room for": (
        {"architecture": "any", "executor": {"memory": "1t", "instances": 1}},
        {"queues": {"root.analytics.reports.tier1": {}}},
        "executor: requests 1 core and 1126.4 GiB with overhead, but the largest executor node has "
        "15.39 cores "
        "and 118.5 GiB (arm64) or 31.35 cores and 238.8 GiB (amd64) for a pod; request less.",
    ),
    "more memory at the start than its queue ever has": (
        {"executor": {"memory": "50g", "instances": 10}},
        {},
        "executor: the driver and 10 executors at the start request 552.4 GiB, but "
        "root.analytics.reports.tier1 has at most 512 GiB; request less.",
    ),
    "more cores at the start than its queue ever has": (
        {"executor": {"cores": 8, "dynamic": {"minimum": 8, "maximum": 100}}},
        {},
        "executor: the driver and 8 executors at the start request 65 cores, but "
        "root.analytics.reports.tier1 has at most 64 cores; request less.",
    ),
    "a script in place of a jar": (
        {"main_file": "local:///opt/main.py"},
        {},
        "main_file: is local:///opt/main.py, but language is scala; set language: python.",
    ),
    "a main class and a Python file": (
        {**PYTHON, "main_class": "org.acme.Main"},
        {},
        "main_class: is only for Scala and Java, but this is a python job; remove it.",
    ),
    "a jar without a main class": (
        {"main_class": None},
        {},
        "main_class: is missing, but a scala job needs one; set it.",
    ),
    "a Python job of a jar": (
        {**PYTHON, "main_file": "local:///main.jar"},
        {},
        "main_file: is local:///main.jar, but that of a python job ends with .py or .zip or .egg; "
        "correct it or language.",
    ),
    "an interpreter for Scala": (
        {"python": "/usr/bin/python3"},
        {},
        "python: is only for Python jobs, but this is a scala job; remove it.",
    ),
    "a main file by a path": (
        {"main_file": "/opt/spark/app.jar"},
        {},
        "main_file: is /opt/spark/app.jar, where the operator would look; for a file of the image write "
        "local:///opt/spark/app.jar.",
    ),
    "a jar by its name": (
        {"dependencies": {"jars": ["driver.jar"]}},
        {},
        "dependencies.jars: is driver.jar, which is not a URL; begin with s3a:// or local:///.",
    ),
    "a file of s3": (
        {"main_file": "s3://acme/app.jar"},
        {},
        "main_file: is s3://acme/app.jar, but Spark knows S3 as s3a; write s3a://acme/app.jar.",
    ),
    "a file where no driver looks": (
        {"dependencies": {"files": ["hdfs://name/x"]}},
        {},
        "dependencies.files: is hdfs://name/x, but drivers only read local, s3a, https, http; move it there.",
    ),
    "a Spark that there is no image for": (
        {"spark_version": "3.5"},
        {},
        "spark_version: is 3.5, but the platform has images only of 4.1; set image.",
    ),
    "Celeborn where there is none": (
        {"celeborn": True},
        {"celeborn": None},
        "celeborn: is not on spark-a; remove it.",
    ),
    "Celeborn in a namespace whose jobs have none": (
        {"celeborn": True},
        {"without_celeborn": ["spark-jobs"]},
        "celeborn: is shared with other namespaces, and jobs in spark-jobs do not use it; remove it.",
    ),
    "a Spark that Celeborn has no client for": (
        {"celeborn": True},
        {"celeborn": Celeborn(endpoints="m:9097", version="0.6.2")},
        "celeborn: 0.6.2 on spark-a has no client for Spark 4.1, which came with 0.7; remove it, or "
        "choose another Spark.",
    ),
    "a variable of Spark's": (
        {"env": {"SPARK_LOCAL_DIRS": "/tmp"}},
        {},
        "env.SPARK_LOCAL_DIRS: is reserved, as Spark reads it; set conf.",
    ),
    "credentials in the environment": (
        {"env": {"AWS_ACCESS_KEY_ID": "AKIA"}},
        {},
        "env.AWS_ACCESS_KEY_ID: is reserved, as a job has the permissions of its namespace; remove it.",
    ),
    "credentials by a secret": (
        {"secrets": {"AWS_SECRET_ACCESS_KEY": {"name": "keys", "key": "secret"}}},
        {},
        "secrets.AWS_SECRET_ACCESS_KEY: is reserved, as a job has the permissions of its namespace; "
        "remove it.",
    ),
    "a password in the environment": (
        {"env": {"WAREHOUSE_PASSWORD": "hunter2hunter2"}},
        {},
        "env.WAREHOUSE_PASSWORD: is in plain what its name calls a secret; put it into a Secret, and name it "
        "in `secrets`.",
    ),
    "a password in the configuration": (
        {"conf": {"spark.hadoop.javax.jdo.option.ConnectionPassword": "hunter2hunter2"}},
        {},
        "conf.spark.hadoop.javax.jdo.option.ConnectionPassword: is in plain what its name calls a secret; "
        "put it into a Secret, name that in `secrets`, and have the program read the variable.",
    ),
    "a variable said twice": (
        {"env": {"TOKEN": "x"}, "secrets": {"TOKEN": {"name": "token", "key": "value"}}},
        {},
        "env.TOKEN: is also in secrets; keep one of the two.",
    ),
    "a label that YuniKorn reads": (
        {"labels": {"queue": "root.other"}},
        {},
        "labels.queue: is set by the platform; choose another name.",
    ),
    "an annotation of the platform's": (
        {"annotations": {"moka.dev/ui-url": "http://elsewhere"}},
        {},
        "annotations.moka.dev/ui-url: is set by the platform; choose another name.",
    ),
    "a folder of the node": (
        {"host_mounts": [{"path": "/var/lib/kubelet", "mount": "/x"}]},
        {},
        "host_mounts.0.path: is /var/lib/kubelet, but jobs in spark-jobs may mount nothing of their "
        "nodes; remove it.",
    ),
    "a folder of the node by a way around": (
        {"host_mounts": [{"path": "/mnt/models/../../etc", "mount": "/x"}]},
        {"host_paths": {"spark-jobs": ["/mnt/models"]}},
        "host_mounts.0.path: is /mnt/models/../../etc, but jobs in spark-jobs may mount only /mnt/models "
        "of their nodes; remove it.",
    ),
    "groups of nobody": (
        {"groups": ["science"]},
        {},
        "groups: is set without `user`; set that too, or remove it.",
    ),
    "configuration that a field says": (
        {"conf": {"spark.executor.memory": "8g"}},
        {},
        "conf.spark.executor.memory: is set by the job's own executor.memory; use that.",
    ),
    "a variable as configuration": (
        {"conf": {"spark.executorEnv.MODE": "x"}},
        {},
        "conf.spark.executorEnv.MODE: is set by the job's own env; use that.",
    ),
    "configuration of the platform's": (
        {"conf": {"spark.eventLog.dir": "s3a://mine/"}},
        {},
        "conf.spark.eventLog.dir: is set by the platform, as the History Server reads event logs; remove it.",
    ),
    "another file system for S3": (
        {"conf": {"spark.hadoop.fs.s3a.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem"}},
        {},
        "conf.spark.hadoop.fs.s3a.impl: is set by the platform, as the operator has another one than "
        "drivers; remove it.",
    ),
    "another folder for Maven packages": (
        {"conf": {"spark.jars.ivy": "/root/.ivy2"}},
        {},
        "conf.spark.jars.ivy: is set by the platform, as the operator can write Maven packages only there; "
        "remove it.",
    ),
    "a pattern on S3": (
        {"dependencies": {"jars": ["s3a://code/lib/*.jar"]}},
        {},
        "dependencies.jars: is s3a://code/lib/*.jar, a pattern, but the operator does not see what is on S3; "
        "name each file.",
    ),
    "a folder on S3": (
        {"dependencies": {"files": ["s3a://code/conf/"]}},
        {},
        "dependencies.files: is s3a://code/conf/, a folder, which Spark does not fetch; name each file.",
    ),
    "nothing but a bucket": (
        {"dependencies": {"archives": ["s3a://code#env"]}},
        {},
        "dependencies.archives: is s3a://code#env, a folder, which Spark does not fetch; name each file.",
    ),
    "two files in one": (
        {"dependencies": {"jars": ["s3a://code/a.jar,s3a://code/b.jar"]}},
        {},
        "dependencies.jars: is s3a://code/a.jar,s3a://code/b.jar, but Spark splits at a comma; name the file "
        "without one.",
    ),
    "a bucket that jobs were not granted": (
        {"dependencies": {"jars": ["s3a://code/a.jar"]}},
        {"readable": {}},
        "dependencies.jars: is s3a://code/a.jar, but jobs in spark-jobs may only read "
        "s3a://staging/spark-jobs/; put it there, or have bucket code added to `uses` in the settings of "
        "test and to those of spark-jobs there.",
    ),
    "a bucket of another environment": (
        {**PYTHON, "dependencies": {"py_files": ["s3a://acme-prod-staging/spark-jobs/a.zip"]}},
        {"readable": {"spark-jobs": ["s3a://code/"], "science": ["s3a://acme-prod-staging/"]}},
        "dependencies.py_files: is s3a://acme-prod-staging/spark-jobs/a.zip, but jobs in spark-jobs may only "
        "read s3a://code/, s3a://staging/spark-jobs/; put it there, or have bucket acme-prod-staging added "
        "to `uses` in the settings of test and to those of spark-jobs there.",
    ),
    "a folder of another namespace": (
        {"main_file": "s3a://staging/spark-jobs-of-others/a.jar"},
        {"readable": {}},
        "main_file: is s3a://staging/spark-jobs-of-others/a.jar, but jobs in spark-jobs may only read "
        "s3a://staging/spark-jobs/; put it there, or have bucket staging added to `uses` in the settings of "
        "test and to those of spark-jobs there.",
    ),
    "the folder of event logs": (
        {"dependencies": {"files": ["s3a://logs/eventlog_v2_spark-1/a"]}},
        {"readable": {}},
        "dependencies.files: is s3a://logs/eventlog_v2_spark-1/a, but jobs in spark-jobs may only read "
        "s3a://staging/spark-jobs/; put it there, or have bucket logs added to `uses` in the settings of "
        "test and to those of spark-jobs there.",
    ),
    "GPUs where there are none": (
        {"executor": {"gpus": 1}},
        {},
        "executor.gpus: is 1, but spark-a has no executor nodes with GPUs; remove it, or choose another "
        "cluster.",
    ),
    "GPUs on another architecture": (
        {"executor": {"gpus": 1}},
        WITH_GPUS,
        "executor.gpus: is 1, but spark-a has executor nodes with GPUs only of amd64; set architecture to "
        "that.",
    ),
    "an executor too large for machines with GPUs": (
        {"architecture": "amd64", "executor": {"gpus": 1, "cores": 32, "instances": 1}},
        {**WITH_GPUS, "queues": {"root.analytics.reports.tier1": {}}},
        "executor: requests 32 cores and 4.4 GiB with overhead, but the largest executor node of amd64 has "
        "31.35 cores for a pod; request less.",
    ),
    "more GPUs at the start than its queue ever has": (
        {"architecture": "amd64", "executor": {"gpus": 2, "instances": 3}},
        {**WITH_GPUS, "queues": {"root.analytics.reports.tier1": {"gpu": "4"}}},
        "executor.gpus: 3 executors at the start request 6 GPUs, but root.analytics.reports.tier1 has at "
        "most 4; request fewer.",
    ),
    "GPUs as configuration": (
        {"conf": {"spark.executor.resource.gpu.amount": 1}},
        {},
        "conf.spark.executor.resource.gpu.amount: is set by the job's own executor.gpus; use that.",
    ),
    "another scheduler": (
        {"conf": {"spark.kubernetes.scheduler.name": "default-scheduler"}},
        {},
        "conf.spark.kubernetes.scheduler.name: is set by the platform, as YuniKorn places jobs; remove it.",
    ),
    "another service account": (
        {"conf": {"spark.kubernetes.authenticate.driver.serviceAccountName": "admin"}},
        {},
        "conf.spark.kubernetes.authenticate.driver.serviceAccountName: is set by the platform, as "
        "the service account is the namespace's; remove it.",
    ),
    "a key to S3": (
        {"conf": {"spark.hadoop.fs.s3a.secret.key": "s"}},
        {},
        "conf.spark.hadoop.fs.s3a.secret.key: is set by the platform, as a job has the permissions of "
        "its namespace, and nothing secret is in conf; remove it.",
    ),
    "what Celeborn cannot do with": (
        {"celeborn": True, "conf": {"spark.serializer": "org.apache.spark.serializer.JavaSerializer"}},
        {},
        "conf.spark.serializer: is set by the platform, as Celeborn needs Kryo; remove it, or celeborn.",
    ),
}


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_a_job_is_refused_with_a_reason(target, job, case):
    changes, of_target, reason = REFUSED[case]

    with pytest.raises(InvalidDocument) as error:
        spark_application(job(**changes), target(**of_target))

    assert str(error.value) == f"pi: {reason}"


def test_everything_that_is_wrong_is_told_at_once(target, job):
    with pytest.raises(InvalidDocument) as error:
        spark_application(
            job(
                namespace="nowhere",
                queue="no.body",
                celeborn=True,
                env={"SPARK_HOME": "/"},
                conf={"spark.master": "x"},
            ),
            target(celeborn=None),
        )

    fields = [line.split(": ")[1] for line in str(error.value).splitlines()]
    assert fields == ["namespace", "queue", "celeborn", "env.SPARK_HOME", "conf.spark.master"]


def test_partitions_are_written_over_one_by_one_with_another_committer_only(target, job):
    mode = {"spark.sql.sources.partitionOverwriteMode": "DYNAMIC"}

    with pytest.raises(InvalidDocument) as error:
        spark_application(job(conf=mode), target())

    assert str(error.value) == (
        "pi: conf.spark.sql.sources.partitionOverwriteMode: is dynamic, which the committer that jobs have "
        "for S3 refuses when it writes; write an Iceberg table, or set "
        "spark.sql.sources.commitProtocolClass too (docs/jobs.md, Partitions that are written over)."
    )
    own = {
        "spark.sql.sources.commitProtocolClass": "org.apache.spark.internal.io.HadoopMapReduceCommitProtocol"
    }
    assert spark_application(job(conf={**mode, **own}), target())
    assert spark_application(job(conf={"spark.sql.sources.partitionOverwriteMode": "static"}), target())


def test_packages_are_those_of_the_settings_as_they_run_in_the_operator_s_pod(target, job):
    dependencies = {"packages": ["com.example:hook:1"], "repositories": ["https://maven.example"]}

    with pytest.raises(InvalidDocument) as error:
        spark_application(job(dependencies=dependencies), target())

    assert str(error.value).splitlines() == [
        "pi: dependencies.packages.0: is com.example:hook:1, and what is in a package runs in the operator's "
        "pod, with its rights; put the jar on S3 and name it in dependencies.jars, or have the package added "
        "to spark.packages in the settings of test.",
        "pi: dependencies.repositories.0: is https://maven.example, which spark.repositories in the settings "
        "of test does not name; leave it out, or have it added.",
    ]
    allowed = target(packages=dependencies["packages"], repositories=dependencies["repositories"])
    assert spark_application(job(dependencies=dependencies), allowed)


@pytest.mark.parametrize("key", SUBMISSION)
def test_what_the_operator_submits_by_no_job_sets(target, job, key):
    key = key.replace("*", "x")

    with pytest.raises(InvalidDocument, match=f"conf.{key}: is set by"):
        spark_application(job(conf={key: "1"}), target())


def test_memory_that_is_not_known_refuses_nothing(target, job):
    machines = [
        MachineCapacity(role=role, architecture="arm64", millicores=8000, memory_mib=None, local_disks=False)
        for role in ("driver", "executor")
    ]

    huge = job(queue="science.models", tier=3, executor={"memory": "10t"})
    assert spark_application(huge, target(machines=machines))


def test_more_executors_than_the_queue_has_room_for_may_be_wished_for(target, job):
    assert spark_application(job(executor={"cores": 8, "dynamic": {"maximum": 1000}}), target())


@pytest.mark.parametrize(
    ("url", "readable"),
    [
        ("s3a://staging/spark-jobs/a.jar", []),
        ("s3a://code/lib/a.jar", ["s3a://code/"]),
        ("s3a://code/env.tgz#env", ["s3a://code/"]),
        ("https://example.invalid/a.jar", []),
        ("local:///opt/a.jar", []),
        # A stack of an earlier version does not say.
        ("s3a://code/a.jar", None),
    ],
)
def test_a_job_may_name_files_that_it_can_read_or_that_nothing_is_known_of(target, job, url, readable):
    of_jobs = None if readable is None else {"spark-jobs": readable}
    assert spark_application(job(dependencies={"files": [url]}), target(readable=of_jobs))


@pytest.mark.parametrize("version", ["3.5", "4.1"])
def test_celeborn_0_7_serves_every_spark_that_jobs_may_use(target, job, version):
    assert spark_application(job(celeborn=True, spark_version=version, image="some:image"), target())
