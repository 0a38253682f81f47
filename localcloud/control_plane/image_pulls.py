"""Pods that wait until it is decided whether their images could be pulled.

The API server itself marks a pod with an image that it has not seen, by an admission policy, so that kwok
leaves the pod alone; the image puller (`localcloud.image_puller`) then decides. Pods with images that every
node group can pull are not marked, and cost nothing.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

from localcloud.control_plane.api import Api, Object
from localcloud.control_plane.parallel import parallel_map
from localcloud.errors import Refusal

LABEL = "localcloud/image-pull"
"""Label of a pod that kwok leaves alone."""

UNDECIDED, REFUSED = "undecided", "refused"

NAME = "localcloud-image-pulls"
PULLED = f"/api/v1/namespaces/kube-system/configmaps/{NAME}"
"""What every node group can pull: `images`, a line each; `round` is another one when all is decided anew."""

ADMISSION = "/apis/admissionregistration.k8s.io/v1beta1"

IMAGES = "(object.spec.containers + (has(object.spec.initContainers) ? object.spec.initContainers : []))"

MARK = f"{{'{LABEL}': '{UNDECIDED}'}}"

POLICY: Object = {
    "apiVersion": "admissionregistration.k8s.io/v1beta1",
    "kind": "MutatingAdmissionPolicy",
    "metadata": {"name": NAME},
    "spec": {
        "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "matchConstraints": {
            "resourceRules": [
                {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
            ]
        },
        "matchConditions": [
            {
                "name": "an-image-is-new",
                "expression": f"!{IMAGES}.all(container, container.image in params.data.images.split('\\n'))",
            }
        ],
        "failurePolicy": "Fail",
        "reinvocationPolicy": "Never",
        "mutations": [
            {
                "patchType": "ApplyConfiguration",
                "applyConfiguration": {
                    "expression": f"Object{{metadata: Object.metadata{{labels: {MARK}}}}}"
                },
            }
        ],
    },
}

BINDING: Object = {
    "apiVersion": "admissionregistration.k8s.io/v1beta1",
    "kind": "MutatingAdmissionPolicyBinding",
    "metadata": {"name": NAME},
    "spec": {
        "policyName": NAME,
        "paramRef": {"name": NAME, "namespace": "kube-system", "parameterNotFoundAction": "Deny"},
    },
}


def install(api: Api) -> None:
    """Have the API server mark pods, from a moment later on."""
    # The API server makes it too, perhaps a moment later.
    api.apply(
        "/api/v1/namespaces/kube-system",
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system"}},
    )
    forget(api)
    api.apply(f"{ADMISSION}/mutatingadmissionpolicies/{NAME}", POLICY)
    api.apply(f"{ADMISSION}/mutatingadmissionpolicybindings/{NAME}", BINDING)


def marks(api: Api) -> bool:
    """Whether the API server marks pods by now: it takes new policies up once a second."""
    probe = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": NAME},
        "spec": {"containers": [{"name": "probe", "image": "localcloud/probe"}]},
    }
    try:
        pod = api.create("/api/v1/namespaces/default/pods", probe, dryRun="All")
    except Refusal:
        # As long as there are no service accounts, or the policy has not found its ConfigMap.
        return False
    return LABEL in (pod["metadata"].get("labels") or {})


def forget(api: Api) -> None:
    """Have every image decided anew, as what decides may have changed."""
    record = {"images": "", "round": token_hex(8)}
    api.apply(
        PULLED,
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": NAME, "namespace": "kube-system"},
            "data": record,
        },
    )
    # Those that wait for a machine may get one of a group that could not pull their images.
    waiting = [pod["metadata"] for pod in api.list("/api/v1/pods", fieldSelector="spec.nodeName=")]
    change: Object = {"metadata": {"labels": {LABEL: UNDECIDED}}}
    parallel_map(
        lambda pod: api.merge(f"/api/v1/namespaces/{pod['namespace']}/pods/{pod['name']}", change),
        [pod for pod in waiting if LABEL not in (pod.get("labels") or {})],
    )


def note_architectures(plane: Path, project: Path, images: Mapping[str, Sequence[str]]) -> None:
    """Note for which architectures a project's images exist, as far as it knows.

    plane: folder of the control plane.
    """
    file = plane / "images" / f"{sha256(str(project).encode()).hexdigest()[:16]}.json"
    text = json.dumps(images)
    if not file.is_file() or file.read_text() != text:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)


def noted_architectures(plane: Path) -> dict[str, list[str]]:
    """What all projects know of their images: pattern of a name -> architectures."""
    architectures: dict[str, list[str]] = {}
    for file in sorted((plane / "images").glob("*.json")):
        architectures |= json.loads(file.read_text())
    return architectures
