"""Whether a job fits its target, before anything is submitted."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Literal

from moka.jobs import reserved
from moka.jobs.files import named_files, named_objects
from moka.jobs.job import Job
from moka.jobs.job_target import JobTarget
from moka.jobs.pod_size import Size, size
from moka.jobs.shuffle import has_client, on_celeborn
from moka.jobs.versions import RELEASES
from moka.jobs.zones import capacities, fitting_zones, holds
from moka.machines.instance_types import Architecture
from moka.machines.machine_capacity import JobRole, MachineCapacity
from moka.mistakes import Mistake, comma_list, near
from moka.names import LABEL_PREFIX, queue_path
from moka.plain_secrets import is_called_secret
from moka.quantities import cores_text, gib_text, mebibytes, millicores
from moka.queues.claims import matching_queues

LABEL_LENGTH = 63
"""Characters of a label's value: a queue's path is the label `queue`."""

SCHEMES = ("local", "s3a", "https", "http")

GLOB = "*?[{"
"""Characters by which Hadoop takes a path for a pattern."""

RESERVED_ENV: Mapping[str, str] = {
    "SPARK_": "Spark reads it; set conf",
    "KUBERNETES_": "it says where the API server is; remove it",
    "AWS_ACCESS_KEY": "a job has the permissions of its namespace; remove it",
    "AWS_SECRET": "a job has the permissions of its namespace; remove it",
    "AWS_SESSION": "a job has the permissions of its namespace; remove it",
    "AWS_CONTAINER_": "a job has the permissions of its namespace; remove it",
    "AWS_ROLE_ARN": "a job has the permissions of its namespace; remove it",
    "AWS_WEB_IDENTITY": "a job has the permissions of its namespace; remove it",
    "PYSPARK_": "Spark reads it; set python",
}
"""Prefix of a variable's name -> why it is reserved, and what to do."""

OVERWRITE_MODE = "spark.sql.sources.partitionOverwriteMode"
COMMIT_PROTOCOL = "spark.sql.sources.commitProtocolClass"

RESERVED_LABELS = (LABEL_PREFIX, "yunikorn.apache.org/", "sparkoperator.k8s.io/", "kubernetes.io/", "spark-")
RESERVED_LABEL_NAMES = ("queue", "applicationId", "version")


def mistakes(job: Job, target: JobTarget, unsure: Collection[str] = ()) -> list[Mistake]:
    """All mistakes of a job for a target.

    unsure: fields of the job that are only placeholders; checks that look at them are skipped.
    """
    target = target.nodes_of(job.namespace)
    return [
        mistake
        for check, fields in CHECKS.items()
        if not fields.intersection(unsure)
        for mistake in check(job, target)
    ]


def namespace(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """A namespace that does not exist."""
    if job.namespace not in target.namespaces:
        yield Mistake(
            "namespace",
            f"{job.namespace} is not a job namespace of {target.cluster}; "
            f"{near(job.namespace, target.namespaces)}",
        )


def queue(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """A project without queues."""
    projects = {path.split(".", 1)[1].rpartition(".")[0] for path in target.queues}
    if job.queue not in projects:
        yield Mistake("queue", f"{job.queue} is not a queue of {target.cluster}; {near(job.queue, projects)}")


def claim(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """A queue in which jobs of the namespace may not run."""
    patterns = target.claims.get(job.namespace)
    if (
        patterns is not None
        and job.queue_path in target.queues
        and not matching_queues([job.queue_path], patterns)
    ):
        yield Mistake(
            "queue",
            f"{job.queue_path} is not for jobs of namespace {job.namespace}; "
            f"{near(job.queue_path, matching_queues(target.queues, patterns))}",
        )


def executors(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """More executors than a job of the namespace may have."""
    most = target.most_executors.get(job.namespace)
    if most is not None and job.executor.at_most > most:
        field = "dynamic.maximum" if job.executor.dynamic else "instances"
        yield Mistake(
            f"executor.{field}",
            f"is {job.executor.at_most}, but a job of namespace {job.namespace} has at most {most} "
            "executors; lower it",
        )


def tier(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """A tier that the project does not have."""
    tiers = [
        str(number) for number in target.priority_classes if queue_path(job.queue, number) in target.queues
    ]
    if tiers and str(job.tier) not in tiers:
        only = f"tiers {' and '.join(tiers)}; choose one" if len(tiers) > 1 else f"tier {tiers[0]}; choose it"
        yield Mistake("tier", f"is {job.tier}, but {job.queue} has only {only}")
    elif tiers and len(job.queue_path) > LABEL_LENGTH:
        yield Mistake(
            "queue",
            f"{job.queue_path} has {len(job.queue_path)} characters, but pods have it as a label, which "
            f"holds {LABEL_LENGTH}; choose one with a shorter name",
        )


def machines(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """Architectures without machines, and pods larger than any machine."""
    available = target.architectures()
    if job.architecture != "any" and job.architecture not in available:
        yield Mistake(
            "architecture",
            f"is {job.architecture}, but {target.cluster} has machines for drivers and executors only of "
            f"{comma_list(available)}; choose that",
        )
        return
    architectures: list[Architecture] = available if job.architecture == "any" else [job.architecture]
    roles: tuple[JobRole, ...] = ("driver", "executor")
    if job.executor.gpus and not any(target.machine("executor", name, gpu=True) for name in architectures):
        with_gpus = {machine.architecture for machine in target.gpu_machines}
        has = (
            f"executor nodes with GPUs only of {comma_list(with_gpus)}; set architecture to that"
            if with_gpus
            else "no executor nodes with GPUs; remove it, or choose another cluster"
        )
        yield Mistake("executor.gpus", f"is {job.executor.gpus}, but {target.cluster} has {has}")
    for role in roles:
        gpu = role == "executor" and job.executor.gpus is not None
        largest = [machine for name in architectures if (machine := target.machine(role, name, gpu=gpu))]
        pod = size(job, role)
        if largest and not any(_fits(pod, machine) for machine in largest):
            yield Mistake(role, _too_large(job, role, pod, largest))


def _fits(pod: Size, machine: MachineCapacity) -> bool:
    return pod.millicores <= machine.millicores and (
        machine.memory_mib is None or pod.memory_mib <= machine.memory_mib
    )


def _too_large(job: Job, role: JobRole, pod: Size, largest: list[MachineCapacity]) -> str:
    room = " or ".join(
        cores_text(machine.millicores)
        + (f" and {gib_text(machine.memory_mib)}" if machine.memory_mib is not None else "")
        + (f" ({machine.architecture})" if len(largest) > 1 else "")
        for machine in largest
    )
    kind = "" if job.architecture == "any" else f" of {job.architecture}"
    return (
        f"requests {cores_text(pod.millicores)} and {gib_text(pod.memory_mib)} with overhead, but the "
        f"largest {role} node{kind} has {room} for a pod; request less"
    )


def zone(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """A zone for executors that the cluster does not have, or in which they never fit."""
    wish = job.executor.zone
    if wish is None or wish == "any":
        return
    zones = capacities(job, target)
    kind = " with GPUs" if job.executor.gpus else ""
    if not zones:
        yield Mistake(
            "executor.zone",
            f"is {wish}, but of executor nodes{kind} of {target.cluster} nobody can choose the zone; leave "
            "it out, or have its groups one a zone (per_zone: true)",
        )
    elif wish == "one":
        if not fitting_zones(job, target):
            beside = " beside Celeborn" if on_celeborn(job, target) else ""
            yield Mistake(
                "executor.zone",
                f"is one, but {target.cluster} has no zone that holds {job.executor.at_most} executors well"
                f"{beside}; write any, or have fewer or smaller ones",
            )
    elif wish not in zones:
        yield Mistake(
            "executor.zone",
            f"is {wish}, but {target.cluster} has no executor nodes{kind} there for it; {near(wish, zones)}",
        )
    elif not holds(job, target, wish, size(job, "executor").times(job.executor.at_start)):
        yield Mistake(
            "executor.zone",
            f"is {wish}, but {target.cluster} can never have {job.executor.at_start} executors there; write "
            "any, or request less",
        )


def queue_maximum(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """Jobs that could never start, as their queue may not have so much."""
    maximum = target.queues.get(job.queue_path, {})
    driver, executor = size(job, "driver"), size(job, "executor")
    count = job.executor.at_start
    total = Size(
        driver.millicores + count * executor.millicores, driver.memory_mib + count * executor.memory_mib
    )
    pods = f"the driver and {count} executors at the start request"
    if "cpu" in maximum and total.millicores > (most := millicores(maximum["cpu"])):
        yield Mistake(
            "executor",
            f"{pods} {cores_text(total.millicores)}, but {job.queue_path} has at most {cores_text(most)}; "
            "request less",
        )
    if "memory" in maximum and total.memory_mib > (most := mebibytes(maximum["memory"])):
        yield Mistake(
            "executor",
            f"{pods} {gib_text(total.memory_mib)}, but {job.queue_path} has at most {gib_text(most)}; "
            "request less",
        )
    gpus = count * (job.executor.gpus or 0)
    if "gpu" in maximum and gpus > int(maximum["gpu"]):
        yield Mistake(
            "executor.gpus",
            f"{count} executors at the start request {gpus} GPUs, but {job.queue_path} has at most "
            f"{maximum['gpu']}; request fewer",
        )


def program(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """The program, and whether the driver can find its files."""
    compiled = job.language in ("scala", "java")
    endings: dict[str, tuple[str, ...]] = {"python": (".py", ".zip", ".egg"), "r": (".r", ".R")}
    if compiled and job.main_file.endswith((*endings["python"][:1], *endings["r"])):
        language = "python" if job.main_file.endswith(".py") else "r"
        yield Mistake(
            "main_file", f"is {job.main_file}, but language is {job.language}; set language: {language}"
        )
    elif compiled and job.main_class is None:
        yield Mistake("main_class", f"is missing, but a {job.language} job needs one; set it")
    elif not compiled:
        if job.main_class is not None:
            yield Mistake(
                "main_class", f"is only for Scala and Java, but this is a {job.language} job; remove it"
            )
        if not job.main_file.endswith(endings[job.language]):
            yield Mistake(
                "main_file",
                f"is {job.main_file}, but that of a {job.language} job ends with "
                f"{' or '.join(endings[job.language])}; correct it or language",
            )
    if job.python is not None and job.language != "python":
        yield Mistake("python", f"is only for Python jobs, but this is a {job.language} job; remove it")
    for file in named_files(job):
        yield from _url(file.at, file.url)


def _url(at: str, url: str) -> Iterator[Mistake]:
    scheme, separator, path = url.partition("://")
    if separator and scheme in SCHEMES:
        if "," in url:
            yield Mistake(at, f"is {url}, but Spark splits at a comma; name the file without one")
        return
    if not separator and url.startswith("/"):
        yield Mistake(
            at, f"is {url}, where the operator would look; for a file of the image write local://{url}"
        )
    elif not separator:
        yield Mistake(at, f"is {url}, which is not a URL; begin with s3a:// or local:///")
    elif scheme in ("s3", "s3n"):
        yield Mistake(at, f"is {url}, but Spark knows S3 as s3a; write s3a://{path}")
    else:
        yield Mistake(at, f"is {url}, but drivers only read {', '.join(SCHEMES)}; move it there")


def packages(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """Maven packages, and repositories, that the settings do not name."""
    for number, package in enumerate(job.dependencies.packages):
        if package not in target.packages:
            yield Mistake(
                f"dependencies.packages.{number}",
                f"is {package}, and what is in a package runs in the operator's pod, with its rights; put "
                "the jar on S3 and name it in dependencies.jars, or have the package added to spark.packages "
                f"in the settings of {target.environment}",
            )
    for number, repository in enumerate(job.dependencies.repositories):
        if repository not in target.repositories:
            yield Mistake(
                f"dependencies.repositories.{number}",
                f"is {repository}, which spark.repositories in the settings of {target.environment} does not "
                "name; leave it out, or have it added",
            )


def s3_objects(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """What no file on S3 is, and files there that jobs may not read."""
    own = [target.code.get(job.namespace), target.staging.get(job.namespace)]
    readable = [*own, *(target.readable or {}).get(job.namespace, ())]
    folders = [folder for folder in readable if folder]
    for file, s3_object in named_objects(job):
        if any(character in s3_object.key for character in GLOB):
            yield Mistake(
                file.at,
                f"is {file.url}, a pattern, but the operator does not see what is on S3; name each file",
            )
        elif not s3_object.name:
            yield Mistake(file.at, f"is {file.url}, a folder, which Spark does not fetch; name each file")
        elif target.readable is not None and not any(s3_object.under(folder) for folder in folders):
            yield Mistake(
                file.at,
                f"is {file.url}, but jobs in {job.namespace} may only read {comma_list(folders)}; put it "
                f"there, or have bucket {s3_object.bucket} added to `uses` in the settings of "
                f"{target.environment} and to those of {job.namespace} there",
            )


def versions(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """Celeborn that is absent, not for this namespace or without a client, and Spark without an image."""
    if job.image is None and job.spark_version not in target.images:
        yield Mistake(
            "spark_version",
            f"is {job.spark_version}, but the platform has images only of "
            f"{comma_list(target.images)}; set image",
        )
    if not job.celeborn:
        return
    if target.celeborn is None:
        yield Mistake("celeborn", f"is not on {target.cluster}; remove it")
        return
    if job.namespace in target.without_celeborn:
        yield Mistake(
            "celeborn",
            f"is shared with other namespaces, and jobs in {job.namespace} do not use it; remove it",
        )
        return
    if not has_client(target.celeborn, job.spark_version):
        oldest = RELEASES[job.spark_version].celeborn
        yield Mistake(
            "celeborn",
            f"{target.celeborn.version} on {target.cluster} has no client for Spark {job.spark_version}, "
            f"which came with {oldest[0]}.{oldest[1]}; remove it, or choose another Spark",
        )


def environment(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """Variables that are reserved, or set twice."""
    variables: dict[Literal["env", "secrets"], Iterable[str]] = {"env": job.env, "secrets": job.secrets}
    for section, names in variables.items():
        for name in names:
            for prefix, why in RESERVED_ENV.items():
                if name.startswith(prefix):
                    yield Mistake(f"{section}.{name}", f"is reserved, as {why}")
    for name, value in job.env.items():
        if is_called_secret(name, value):
            yield Mistake(
                f"env.{name}",
                "is in plain what its name calls a secret; put it into a Secret, and name it in `secrets`",
            )
    for name in sorted(set(job.env) & set(job.secrets)):
        yield Mistake(f"env.{name}", "is also in secrets; keep one of the two")


def metadata(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """Labels and annotations that the platform sets."""
    for section, keys in {"labels": job.labels, "annotations": job.annotations}.items():
        for key in keys:
            prefix, slash, _ = key.rpartition("/")
            is_reserved = key.startswith(RESERVED_LABELS) or (slash and prefix.endswith("kubernetes.io"))
            if is_reserved or (section == "labels" and key in RESERVED_LABEL_NAMES):
                yield Mistake(f"{section}.{key}", "is set by the platform; choose another name")


def host_mounts(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """Folders of nodes that the job may not mount."""
    allowed = target.host_paths.get(job.namespace, ())
    for index, mount in enumerate(job.host_mounts):
        if not any(_within(mount.path, folder) for folder in allowed):
            only = f"only {comma_list(allowed)}" if allowed else "nothing"
            yield Mistake(
                f"host_mounts.{index}.path",
                f"is {mount.path}, but jobs in {job.namespace} may mount {only} of their nodes; remove it",
            )


def _within(path: str, folder: str) -> bool:
    parts, folder_parts = path.rstrip("/").split("/"), folder.rstrip("/").split("/")
    return ".." not in parts and parts[: len(folder_parts)] == folder_parts


def users(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """`groups` without `user`."""
    if job.groups and job.user is None:
        yield Mistake("groups", "is set without `user`; set that too, or remove it")


def configuration(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """Configuration that a job may not set."""
    yield from reserved.reserved_keys(job)
    for key, value in job.conf.items():
        if is_called_secret(key, str(value)):
            yield Mistake(
                f"conf.{key}",
                "is in plain what its name calls a secret; put it into a Secret, name that in `secrets`, and "
                "have the program read the variable",
            )


def overwrite(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """Partitions that are to be written over one by one, which the committer for S3 cannot do.

    It throws `PathOutputCommitter does not support dynamicPartitionOverwrite` (apache/spark:
    hadoop-cloud/src/hadoop-3/main/scala/org/apache/spark/internal/io/cloud/PathOutputCommitProtocol.scala).
    """
    dynamic = str(job.conf.get(OVERWRITE_MODE, "")).lower() == "dynamic"
    if dynamic and COMMIT_PROTOCOL not in job.conf:
        yield Mistake(
            f"conf.{OVERWRITE_MODE}",
            "is dynamic, which the committer that jobs have for S3 refuses when it writes; write an Iceberg "
            f"table, or set {COMMIT_PROTOCOL} too (docs/jobs.md, Partitions that are written over)",
        )


CHECKS: Mapping[Callable[[Job, JobTarget], Iterator[Mistake]], frozenset[str]] = {
    namespace: frozenset({"namespace"}),
    queue: frozenset({"queue"}),
    claim: frozenset({"namespace", "queue", "tier"}),
    executors: frozenset({"namespace", "executor"}),
    tier: frozenset({"queue", "tier"}),
    machines: frozenset({"architecture", "language", "driver", "executor"}),
    zone: frozenset(
        {"architecture", "language", "celeborn", "executor", "namespace", "spark_version", "image", "conf"}
    ),
    queue_maximum: frozenset({"queue", "tier", "language", "driver", "executor"}),
    program: frozenset({"language", "main_file", "main_class", "python", "dependencies"}),
    packages: frozenset({"dependencies"}),
    s3_objects: frozenset({"namespace", "main_file", "dependencies"}),
    versions: frozenset({"namespace", "spark_version", "image", "celeborn"}),
    environment: frozenset({"env", "secrets"}),
    metadata: frozenset({"labels", "annotations"}),
    host_mounts: frozenset({"host_mounts"}),
    users: frozenset({"user", "groups"}),
    configuration: frozenset({"conf", "celeborn"}),
    overwrite: frozenset({"conf"}),
}
"""Each check -> the fields that it looks at."""
