"""What an application may say of its own submission, enforced by the API server itself.

The Spark Operator runs `spark-submit` for every job of its namespaces, with its own rights: whoever runs code
there, or reads files there, can make pods in all of these namespaces, and with them use what jobs there may
(apache/spark: core/src/main/scala/org/apache/spark/deploy/SparkSubmit.scala). So nothing that an application
says may have it run code of the job, read files of its own, or submit elsewhere.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

from moka.components.kubernetes.admission_policy import bound_policy, in_namespaces
from moka.jobs.checks import SCHEMES
from moka.jobs.reserved import SUBMISSION

POLICY_NAME = "moka-job-submission"
"""Name of the policy and of its binding."""

FILES = ("jars", "files", "pyFiles", "archives")
"""Lists of files, of an application's `deps`."""

URL = f"^({'|'.join(SCHEMES)})://[^,]+$"
"""A file that the operator hands on: without a scheme, or with `file`, it would read its own
(KubernetesUtils.uploadAndTransformFileUris); what has a comma is two."""

KEY = "^(" + "|".join(key.replace(".", "[.]").replace("*", ".*") for key in SUBMISSION) + ")$|="
"""Keys that nobody may set. The operator joins a key and its value by `=` (spark-operator v2.5.2:
submission.go, sparkConfOption), so a key that has one is another key."""


@dataclass(frozen=True, kw_only=True)
class JobSubmissionArgs:
    """What differs between clusters.

    namespaces: of jobs, all of them.
    packages: Maven packages that jobs may name, `group:artifact:version`.
    repositories: URLs that they may name besides Maven Central.
    """

    namespaces: Sequence[str]
    packages: Sequence[str] = ()
    repositories: Sequence[str] = ()


class JobSubmission(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:JobSubmission`.

    Makes: a ValidatingAdmissionPolicy and its binding. It refuses, in these namespaces, SparkApplications
    that would run in the operator's pod, have it read its own files, or submit elsewhere or as another.
    Outputs: `namespaces`, known only once the rules hold.
    """

    namespaces: pulumi.Output[Sequence[str]]

    def __init__(
        self, name: str, args: JobSubmissionArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:JobSubmission", name, {}, opts)
        spec = rules(args.namespaces, args.packages, args.repositories)
        bound = bound_policy(name, POLICY_NAME, spec, pulumi.ResourceOptions(parent=self))
        self.namespaces = bound.apply(lambda _: list(args.namespaces))
        self.register_outputs({"namespaces": self.namespaces})


def rules(
    namespaces: Sequence[str], packages: Sequence[str] = (), repositories: Sequence[str] = ()
) -> dict[str, Any]:
    """Spec of the ValidatingAdmissionPolicy, as Kubernetes writes it."""
    return in_namespaces(
        namespaces,
        # Of whatever else the operator makes applications, these are looked at.
        (("sparkoperator.k8s.io", ("sparkapplications",)),),
        variables(packages, repositories),
        VALIDATIONS,
    )


VALIDATIONS = {
    "variables.same || !has(object.spec.mode) || object.spec.mode == 'cluster'": (
        "a driver runs in a pod of its own: leave spec.mode out, or set it to cluster"
    ),
    "variables.same || (has(object.spec.mainApplicationFile) "
    f"&& object.spec.mainApplicationFile.matches('{URL}'))": (
        f"spec.mainApplicationFile is a URL of {', '.join(SCHEMES)}, one file: for a file of the image write "
        "local:///"
    ),
    f"variables.same || variables.files.all(file, file.matches('{URL}'))": (
        f"jars, files, pyFiles and archives of spec.deps are URLs of {', '.join(SCHEMES)}, one file each"
    ),
    "variables.same || variables.packages.all(name, name in variables.known)": (
        "the operator would run what is in spec.deps.packages: put the jar on S3 and name it in "
        "spec.deps.jars, or have the package added to `spark.packages` in the settings"
    ),
    "variables.same || variables.repositories.all(url, url in variables.trusted)": (
        "spec.deps.repositories are only those of `spark.repositories` in the settings"
    ),
    f"variables.same || variables.keys.all(key, !key.matches('{KEY}'))": (
        "spec.sparkConf says where, as whom, or with which files of its own the operator submits: leave out "
        "spark.master, spark.submit.*, spark.kubernetes.namespace and the like (docs/operations/spark.md)"
    ),
}
"""What must be true of an application, in CEL, and the message where it is not. What was there before, and
does not change, goes on."""


def variables(packages: Sequence[str], repositories: Sequence[str]) -> dict[str, str]:
    """What the rules build on, in CEL."""
    return {
        "same": "oldObject != null && object.spec == oldObject.spec",
        "files": " + ".join(_list(f"deps.{name}") for name in FILES),
        "packages": _list("deps.packages"),
        "repositories": _list("deps.repositories"),
        "known": json.dumps(sorted(packages)),
        "trusted": json.dumps(sorted(repositories)),
        "keys": "has(object.spec.sparkConf) ? object.spec.sparkConf.map(key, key) : []",
    }


def _list(path: str) -> str:
    part = path.partition(".")[0]
    return f"(has(object.spec.{part}) && has(object.spec.{path}) ? object.spec.{path} : [])"
