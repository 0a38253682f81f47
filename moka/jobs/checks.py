"""Whether a job fits its target, before anything is submitted."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from moka.jobs import reserved
from moka.jobs.job import Driver, Executor, Job
from moka.jobs.job_target import JobTarget
from moka.jobs.versions import RELEASES
from moka.machines.instance_types import Architecture
from moka.machines.machine_capacity import JobRole, MachineCapacity
from moka.mistakes import Mistake, listed, near
from moka.names import DOMAIN
from moka.quantities import cores_text, gib_text, mebibytes, millicores, spark_mebibytes

QUEUE_LABEL = 63
"""Characters of a label's value: a queue's path is the label `queue`."""

SCHEMES = ("local", "s3a", "https", "http")

JVM_OVERHEAD, OTHER_OVERHEAD, LEAST_OVERHEAD = 0.1, 0.4, 384
"""Spark's own: share of the heap, with Python or R, and MiB at least."""

RESERVED_ENV: Mapping[str, str] = {
    "SPARK_": "Spark reads it; set conf",
    "KUBERNETES_": "it says where the API server is; leave it out",
    "AWS_ACCESS_KEY": "a job has the permissions of its namespace; leave it out",
    "AWS_SECRET": "a job has the permissions of its namespace; leave it out",
    "AWS_SESSION": "a job has the permissions of its namespace; leave it out",
    "AWS_CONTAINER_": "a job has the permissions of its namespace; leave it out",
    "AWS_ROLE_ARN": "a job has the permissions of its namespace; leave it out",
    "AWS_WEB_IDENTITY": "a job has the permissions of its namespace; leave it out",
    "PYSPARK_": "Spark reads it; set python",
}
"""Beginning of a variable's name -> why not, and what to do."""

RESERVED_LABELS = (DOMAIN, "yunikorn.apache.org/", "sparkoperator.k8s.io/", "kubernetes.io/", "spark-")
RESERVED_LABEL_NAMES = ("queue", "applicationId", "version")


@dataclass(frozen=True)
class Size:
    """What a pod asks for. millicores: thousandths of a core. memory_mib: MiB."""

    millicores: int
    memory_mib: int


def overhead_mib(job: Job, pod: Driver | Executor) -> int:
    """MiB beside the heap."""
    if pod.overhead:
        return spark_mebibytes(pod.overhead)
    share = JVM_OVERHEAD if job.language in ("scala", "java") else OTHER_OVERHEAD
    return max(int(spark_mebibytes(pod.memory) * share), LEAST_OVERHEAD)


def size(job: Job, role: JobRole) -> Size:
    """What a pod of a job asks for: as Spark adds it up, and the operator for placeholders."""
    pod: Driver | Executor = job.driver if role == "driver" else job.executor
    off_heap = pod.off_heap if isinstance(pod, Executor) else None
    return Size(
        millicores=millicores(pod.core_request) if pod.core_request else pod.cores * 1000,
        memory_mib=spark_mebibytes(pod.memory)
        + overhead_mib(job, pod)
        + (spark_mebibytes(off_heap) if off_heap else 0),
    )


def mistakes(job: Job, target: JobTarget, unsure: Collection[str] = ()) -> list[Mistake]:
    """All mistakes of a job for a target.

    unsure: fields of the job that are only a stand-in, about which nothing is told.
    """
    return [
        found
        for check, fields in CHECKS.items()
        if not fields.intersection(unsure)
        for found in check(job, target)
    ]


def namespace(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """A namespace that is not there."""
    if job.namespace not in target.namespaces:
        yield Mistake(
            "namespace",
            f"{job.namespace} is no job namespace of {target.cluster}; "
            f"{near(job.namespace, target.namespaces)}",
        )


def queue(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """A project that has no queue."""
    known = {path.removeprefix("root.").rpartition(".")[0] for path in target.queues}
    if job.queue not in known:
        yield Mistake("queue", f"{job.queue} is no queue of {target.cluster}; {near(job.queue, known)}")


def tier(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """A tier that the project has not."""
    start = f"root.{job.queue}.tier"
    known = [path.removeprefix(start) for path in target.queues if path.startswith(start)]
    if known and (str(job.tier) not in known or job.tier not in target.priority_classes):
        yield Mistake("tier", f"is {job.tier}, and {job.queue} has {listed(known)} alone; choose of those")
    elif known and len(job.queue_path) > QUEUE_LABEL:
        yield Mistake(
            "queue",
            f"{job.queue_path} is longer than the {QUEUE_LABEL} characters of a label, and pods name it "
            "in one; take one with a shorter name",
        )


def machines(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """Architectures without machines, and pods larger than any machine."""
    there = target.architectures()
    chosen: list[Architecture] = there if job.architecture == "any" else [job.architecture]
    if job.architecture != "any" and job.architecture not in there:
        yield Mistake(
            "architecture",
            f"is {job.architecture}, and {target.cluster} has machines for drivers and executors of "
            f"{listed(there)}; choose that",
        )
        return
    roles: tuple[JobRole, ...] = ("driver", "executor")
    for role in roles:
        known = [machine for each in chosen if (machine := target.machine(role, each))]
        asked = size(job, role)
        if known and not any(_fits(asked, machine) for machine in known):
            yield Mistake(role, _too_large(job, role, asked, known))


def _fits(asked: Size, machine: MachineCapacity) -> bool:
    return asked.millicores <= machine.millicores and (
        machine.memory_mib is None or asked.memory_mib <= machine.memory_mib
    )


def _too_large(job: Job, role: JobRole, asked: Size, known: list[MachineCapacity]) -> str:
    largest = " or ".join(
        f"{cores_text(each.millicores)}"
        + (f" and {gib_text(each.memory_mib)}" if each.memory_mib is not None else "")
        + (f" ({each.architecture})" if len(known) > 1 else "")
        for each in known
    )
    kind = "" if job.architecture == "any" else f" of {job.architecture}"
    return (
        f"asks for {cores_text(asked.millicores)} and {gib_text(asked.memory_mib)} with overhead, and the "
        f"largest {role} node{kind} has {largest} for a pod; ask for less"
    )


def queue_maximum(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """Jobs that could never start, as their queue may not have so much."""
    maximum = target.queues.get(job.queue_path, {})
    driver, executor = size(job, "driver"), size(job, "executor")
    count = job.executor.at_start
    told = f"the driver and {count} executors at the start ask for"
    if "cpu" in maximum:
        asked, most = driver.millicores + count * executor.millicores, millicores(maximum["cpu"])
        if asked > most:
            yield Mistake(
                "executor",
                f"{told} {cores_text(asked)}, and {job.queue_path} has {cores_text(most)} at most; "
                "ask for less",
            )
    if "memory" in maximum:
        asked, most = driver.memory_mib + count * executor.memory_mib, mebibytes(maximum["memory"])
        if asked > most:
            yield Mistake(
                "executor",
                f"{told} {gib_text(asked)}, and {job.queue_path} has {gib_text(most)} at most; ask for less",
            )


def program(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """What is to be run, and whether it can be found from the driver."""
    compiled = job.language in ("scala", "java")
    endings: dict[str, tuple[str, ...]] = {"python": (".py", ".zip", ".egg"), "r": (".r", ".R")}
    if compiled and job.main_file.endswith((*endings["python"][:1], *endings["r"])):
        kind = "python" if job.main_file.endswith(".py") else "r"
        yield Mistake("main_file", f"is {job.main_file}, and language {job.language}; set language: {kind}")
    elif compiled and job.main_class is None:
        yield Mistake("main_class", f"is missing, and a {job.language} job needs one; name it")
    elif not compiled:
        if job.main_class is not None:
            yield Mistake(
                "main_class", f"is for Scala and Java, and this is a {job.language} job; leave it out"
            )
        if not job.main_file.endswith(endings[job.language]):
            yield Mistake(
                "main_file",
                f"is {job.main_file}, and a {job.language} job's ends with "
                f"{' or '.join(endings[job.language])}; correct it or language",
            )
    if job.python is not None and job.language != "python":
        yield Mistake("python", f"is for Python jobs, and this is a {job.language} job; leave it out")
    files = {"main_file": [job.main_file]} | {
        f"dependencies.{kind}": getattr(job.dependencies, kind)
        for kind in ("jars", "files", "py_files", "archives")
    }
    for at, urls in files.items():
        for url in urls:
            yield from _found(at, url)


def _found(at: str, url: str) -> Iterator[Mistake]:
    scheme, found, _ = url.partition("://")
    if found and scheme in SCHEMES:
        return
    if not found and url.startswith("/"):
        yield Mistake(
            at, f"is {url}, where the operator would look; for a file of the image write local://{url}"
        )
    elif not found:
        yield Mistake(at, f"is {url}, which is no URL; begin with s3a:// or local:///")
    elif scheme in ("s3", "s3n"):
        yield Mistake(at, f"is {url}, and Spark knows S3 as s3a; write s3a://{url.partition('://')[2]}")
    else:
        yield Mistake(at, f"is {url}, and drivers read {', '.join(SCHEMES)} alone; put it there")


def versions(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """Celeborn that is not there or has no client for this Spark, and Spark that there is no image for."""
    if job.image is None and job.spark_version not in target.images:
        yield Mistake(
            "spark_version",
            f"is {job.spark_version}, and the platform has images of {listed(target.images)} alone; "
            "name an image",
        )
    if not job.celeborn:
        return
    if target.celeborn is None:
        yield Mistake("celeborn", f"{target.cluster} has none; leave it out")
        return
    least = RELEASES[job.spark_version].celeborn
    has = tuple(int(part) for part in re.findall(r"\d+", target.celeborn.version)[:2])
    if has < least:
        yield Mistake(
            "celeborn",
            f"{target.celeborn.version} of {target.cluster} has no client for Spark {job.spark_version}, "
            f"which came with {least[0]}.{least[1]}; leave it out or take another Spark",
        )


def environment(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """Variables that are somebody else's, or set twice."""
    where: dict[Literal["env", "secrets"], Iterable[str]] = {"env": job.env, "secrets": job.secrets}
    for section, names in where.items():
        for name in names:
            for start, why in RESERVED_ENV.items():
                if name.startswith(start):
                    yield Mistake(f"{section}.{name}", f"is reserved, as {why}")
    for name in sorted(set(job.env) & set(job.secrets)):
        yield Mistake(f"env.{name}", "is in secrets too; keep one of the two")


def marks(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """Labels and annotations that mean something to the platform."""
    for section, keys in {"labels": job.labels, "annotations": job.annotations}.items():
        for key in keys:
            prefix, slash, _ = key.rpartition("/")
            owned = key.startswith(RESERVED_LABELS) or (slash and prefix.endswith("kubernetes.io"))
            if owned or (section == "labels" and key in RESERVED_LABEL_NAMES):
                yield Mistake(f"{section}.{key}", "is the platform's; choose another name")


def nodes(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """Folders of nodes that no job may see."""
    allowed = target.host_paths.get(job.namespace, ())
    for number, mount in enumerate(job.host_mounts):
        if not any(_within(mount.path, folder) for folder in allowed):
            yield Mistake(
                f"host_mounts.{number}.path",
                f"is {mount.path}, and jobs in {job.namespace} see {listed(allowed)} of their nodes; "
                "leave it out",
            )


def _within(path: str, folder: str) -> bool:
    parts = path.rstrip("/").split("/")
    return ".." not in parts and parts[: len(folder.rstrip("/").split("/"))] == folder.rstrip("/").split("/")


def users(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """Groups of nobody."""
    if job.groups and job.user is None:
        yield Mistake("groups", "are of a user, and there is none; set user")


def configuration(job: Job, target: JobTarget) -> Iterator[Mistake]:
    """Configuration that is not the job's."""
    yield from reserved.not_the_jobs(job)


CHECKS: Mapping[Callable[[Job, JobTarget], Iterator[Mistake]], frozenset[str]] = {
    namespace: frozenset({"namespace"}),
    queue: frozenset({"queue"}),
    tier: frozenset({"queue", "tier"}),
    machines: frozenset({"architecture", "language", "driver", "executor"}),
    queue_maximum: frozenset({"queue", "tier", "language", "driver", "executor"}),
    program: frozenset({"language", "main_file", "main_class", "python", "dependencies"}),
    versions: frozenset({"spark_version", "image", "celeborn"}),
    environment: frozenset({"env", "secrets"}),
    marks: frozenset({"labels", "annotations"}),
    nodes: frozenset({"host_mounts"}),
    users: frozenset({"user", "groups"}),
    configuration: frozenset({"conf", "celeborn"}),
}
"""What is checked -> the fields that it looks at."""
