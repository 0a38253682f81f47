"""SparkApplications whose operator the test simulates, with a real driver pod each."""

from datetime import UTC, datetime
from uuid import uuid4

from localcloud.control_plane.stand_ins import spark_operator
from moka.names import DRIVER_FINALIZER

CUSTOM_RESOURCES = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def define(api):
    """Make the operator's custom resources, and wait until SparkApplications are served."""
    api.apply_all(spark_operator.definitions())
    next(
        definition
        for definition in api.follow(CUSTOM_RESOURCES)
        if definition["metadata"]["name"] == "sparkapplications.sparkoperator.k8s.io"
        and _established(definition)
    )


def _established(definition):
    conditions = (definition.get("status") or {}).get("conditions") or []
    return any((c["type"], c["status"]) == ("Established", "True") for c in conditions)


class Application:
    """A SparkApplication with a driver pod that has ended; its status is set as the operator would."""

    def __init__(self, api, namespace, state, phase="Succeeded", *, name=None, status=None, **driver):
        """status: more of the application's. driver: more of its pod's metadata."""
        self._api = api
        self.name = name or f"job-{uuid4().hex[:6]}"
        self.path = f"/apis/sparkoperator.k8s.io/v1beta2/namespaces/{namespace}/sparkapplications/{self.name}"
        self.pod_path = f"/api/v1/namespaces/{namespace}/pods/{self.name}-driver"
        api.apply(
            self.path,
            {
                "apiVersion": "sparkoperator.k8s.io/v1beta2",
                "kind": "SparkApplication",
                "metadata": {"name": self.name, "namespace": namespace},
                "spec": {
                    "type": "Scala",
                    "sparkVersion": "4.1.0",
                    "mainApplicationFile": "local:///job.jar",
                    "timeToLiveSeconds": 3600,
                    "driver": {},
                    "executor": {},
                },
            },
        )
        self.read(state, submission="s1", **(status or {}))
        self.driver("s1", phase, **driver)

    def read(self, state, submission="s1", **more):
        """Set the status to what the operator has read."""
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        status = {
            "applicationState": {"state": state},
            "submissionID": submission,
            "driverInfo": {},
            "lastSubmissionAttemptTime": now,
            "terminationTime": None,
            **more,
        }
        self._api.merge(f"{self.path}/status", {"status": status})

    def driver(self, submission, phase, labels=None, annotations=None):
        """Make the driver of a submission, as `spark-submit` does, and let it come to this phase."""
        owner = self._api.get(self.path)["metadata"]
        pods = self.pod_path.rpartition("/")[0]
        self._api.create(
            pods,
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {
                    "name": f"{self.name}-driver",
                    "finalizers": [DRIVER_FINALIZER],
                    "annotations": {"localcloud/runs-for": "3600", **(annotations or {})},
                    "labels": {
                        **(labels or {}),
                        "spark-role": "driver",
                        "sparkoperator.k8s.io/app-name": self.name,
                        "sparkoperator.k8s.io/submission-id": submission,
                    },
                    "ownerReferences": [
                        {
                            "apiVersion": "sparkoperator.k8s.io/v1beta2",
                            "kind": "SparkApplication",
                            "name": self.name,
                            "uid": owner["uid"],
                        }
                    ],
                },
                "spec": {
                    "nodeName": self._api.list("/api/v1/nodes")[0]["metadata"]["name"],
                    "containers": [{"name": "spark-kubernetes-driver", "image": "spark"}],
                    "terminationGracePeriodSeconds": 0,
                },
            },
        )
        drivers = self._api.follow(pods, fieldSelector=f"metadata.name={self.name}-driver")
        next(pod for pod in drivers if pod["status"]["phase"] == "Running")
        if phase != "Running":
            self._api.merge(f"{self.pod_path}/status", {"status": {"phase": phase}})

    def collect(self):
        """Delete the driver, as the garbage collector does."""
        self._api.delete(self.pod_path)

    @property
    def pod(self):
        return self._api.get(self.pod_path)

    @property
    def gone(self):
        return self.pod is None

    @property
    def protected(self):
        return DRIVER_FINALIZER in (self.pod or {"metadata": {}})["metadata"].get("finalizers", [])
