import dataclasses
import json
import re

import pytest
import yaml

from doctor import registries
from doctor.checks import images
from doctor.registries import ImageNotFound, PublicRegistries, Reference, Unreachable
from moka import catalog
from moka import images as image_names
from moka.catalog import ChartPin, Image
from tests.support.aws_stubs import lines
from tests.support.http_server import Handler, served

COMPLETE = "exist for all architectures of the nodes that pull them"

OWN = "registry.acme.example/"
"""Where the images are that every environment has."""

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"


def index(*architectures):
    platforms = [{"os": "linux", "architecture": name} for name in architectures]
    attestation = {"os": "unknown", "architecture": "unknown"}
    return {"mediaType": INDEX, "manifests": [{"platform": p} for p in [*platforms, attestation]]}


IMAGES = {
    "/v2/org/both/manifests/1": index("amd64", "arm64"),
    "/v2/org/one/manifests/1": {"mediaType": MANIFEST, "config": {"digest": "sha256:c"}},
    "/v2/org/one/blobs/sha256:c": {"os": "linux", "architecture": "amd64"},
}


class Registry(Handler):
    """A registry that gives anybody a token first, as Docker Hub does."""

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == "/token":
            return self.answer(200, {"token": f"for {query}"})
        if path.startswith("/v2/busy/"):
            return self.answer(429, {})
        if not self.headers.get("Authorization"):
            where = f"http://127.0.0.1:{self.server.server_port}/token"
            name = path.split("/manifests/")[0].removeprefix("/v2/")
            return self.answer(401, {}, f'Bearer realm="{where}",service="s",scope="repository:{name}:pull"')
        return self.answer(200 if path in IMAGES else 404, IMAGES.get(path, {}))

    def answer(self, status, body, challenge=None):
        self.send_response(status)
        if challenge:
            self.send_header("WWW-Authenticate", challenge)
        text = json.dumps(body).encode()
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


@pytest.fixture(scope="module")
def host():
    with served(Registry) as port:
        yield f"127.0.0.1:{port}"


@pytest.mark.parametrize(("name", "has"), [("both", {"amd64", "arm64"}), ("one", {"amd64"})])
def test_a_registry_says_which_architectures_an_image_has(host, name, has):
    assert PublicRegistries().architectures(Reference(host, f"org/{name}", "1")) == has


def test_an_image_that_is_not_there_is_no_image(host):
    with pytest.raises(ImageNotFound):
        PublicRegistries().architectures(Reference(host, "org/none", "1"))


@pytest.mark.parametrize(
    ("where", "repository", "why"),
    [
        ("127.0.0.1:9", "org/both", r"127\.0\.0\.1 cannot be reached from here"),
        (None, "busy/x", "HTTP status 429"),
    ],
)
def test_a_registry_that_gives_no_answer_is_unreachable(host, where, repository, why):
    with pytest.raises(Unreachable, match=why):
        PublicRegistries().architectures(Reference(where or host, repository, "1"))


def test_a_digest_is_what_is_pulled_where_there_is_one():
    assert Reference.of("ghcr.io/org/x:1@sha256:d") == Reference("ghcr.io", "org/x", "sha256:d")
    assert Reference.of("docker.io/apache/spark:4.1") == Reference("docker.io", "apache/spark", "4.1")


@pytest.fixture
def pulling(monkeypatch):
    """Let the environment pull these images and no others."""

    settings_images = images.settings_images

    def others(settings):
        """Without those that every environment has, which are a test of their own."""
        named = settings_images(settings)
        return {name: image for name, image in named.items() if not name.startswith(OWN)}

    def these(*references):
        monkeypatch.setattr(images, "settings_images", others)
        pulled = catalog.Catalog(
            charts={
                "chart": ChartPin(
                    name="chart",
                    repository="",
                    version="1",
                    kube_version="",
                    digest=None,
                    images={},
                    pulls=references,
                )
            },
            images={},
            values={},
        )
        monkeypatch.setattr(
            catalog, "read", lambda mirror=None, overrides=None: dataclasses.replace(pulled, mirror=mirror)
        )

    return these


def test_images_are_there_or_lack_an_architecture_or_are_missing_or_nobody_knows(place, host, pulling):
    pulling(
        f"{host}/org/both:1",
        f"{host}/org/one:1",
        f"{host}/org/none:1",
        f"{host}/busy/a:1",
        f"{host}/busy/b:1",
    )

    assert lines(images.pulled_images, place()) == [
        f"problem main There is no image {host}/org/none:1. Correct its tag in charts-values/charts.yaml.",
        f"problem main Image {host}/org/one:1 exists for amd64, not for arm64, and system nodes pull it. "
        "Take an image or node groups that fit.",
        f"not checked main Images {host}/busy/a:1 and {host}/busy/b:1: {host} answers with HTTP status 429.",
        f"ok main 1 images {COMPLETE}.",
    ]


def test_an_image_is_wanted_for_the_nodes_that_pull_it_and_no_others(place, host, pulling):
    def other_machines(written):
        groups = written["clusters"]["spark-a"]["node_groups"]
        groups["system"] |= {"architecture": "amd64", "instance_types": ["m7i.2xlarge"]}

    pulling(f"{host}/org/one:1")

    # Shuffle nodes are arm64, and have nothing to do with it.
    assert lines(images.pulled_images, place(other_machines)) == [f"ok main 1 images {COMPLETE}."]


def test_images_of_ones_own_are_looked_for_too(place, host, pulling, monkeypatch):
    # The registry of this test is one that no node reaches.
    monkeypatch.setattr(image_names, "OWN_MACHINE", re.compile("none"))

    def own(written):
        written["services"]["driver_finalizer"] = {"image": f"{host}/org/one:1"}
        written["spark"] = {"images": {"4.1": f"{host}/org/none:1"}}

    pulling()

    # What is still to be pushed keeps nothing else from coming up.
    assert lines(images.pulled_images, place(own)) == [
        f"warning main There is no image {host}/org/none:1. Push it once its repository is there, or correct "
        "its name in the settings.",
        f"problem main Image {host}/org/one:1 exists for amd64, not for arm64, and system nodes pull it. "
        "Build it for all of them.",
    ]


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("history-server:4.3.0", "system"),
        ("history-gate:1.0.0", "system"),
        ("event-log-uploader:1.0.0", "driver"),
    ],
)
def test_images_that_every_environment_has_are_looked_for_where_their_pods_are(settings, name, role):
    image = images.settings_images(settings())[OWN + name]

    assert (image.roles, image.own) == ({role}, True)


ECR = "123456789012.dkr.ecr.us-east-1.amazonaws.com"


def mirrored(written):
    written["charts"] = {"mirror": ECR}


def test_images_of_a_mirror_in_ecr_are_asked_of_ecr(place, pulling):
    stubbed = {
        "ecr": [
            ("describe_images", image_parameters("quay.io/org/x"), {"imageDetails": [{}]}),
            ("batch_get_image", None, {"images": [{"imageManifest": json.dumps(index("amd64"))}]}),
        ]
    }
    pulling("quay.io/org/x:1")

    assert lines(images.pulled_images, place(mirrored, stubbed=stubbed)) == [
        f"problem main Image {ECR}/quay.io/org/x:1 exists for amd64, not for arm64, and system nodes pull "
        "it. Copy all architectures of it."
    ]


def image_parameters(repository):
    return {"registryId": "123456789012", "repositoryName": repository, "imageIds": [{"imageTag": "1"}]}


def test_an_image_that_a_mirror_lacks_is_a_problem(place, pulling):
    pulling("quay.io/org/x:1")

    assert lines(images.pulled_images, place(mirrored)) == [
        f"problem main There is no image {ECR}/quay.io/org/x:1. Copy it into the mirror."
    ]


def test_an_image_that_ecr_has_not_pulled_through_yet_is_looked_for_upstream(
    place, host, monkeypatch, pulling
):
    def through(written):
        mirrored(written)
        written["registry"] = {"foundation": "main", "pull_through": {"quay.io": {}}}

    monkeypatch.setitem(registries.API_HOSTS, "quay.io", host)
    pulling("quay.io/org/both:1")

    assert lines(images.pulled_images, place(through)) == [f"ok main 1 images {COMPLETE}."]


def test_only_images_of_the_kubernetes_versions_in_use_are_wanted():
    def image(tag):
        return Image(repository="registry.k8s.io/autoscaling/cluster-autoscaler", tag=tag, digest=None)

    pins = {"cluster-autoscaler-1.34": image("v1.34.2"), "cluster-autoscaler-1.99": image("v1.99.0")}
    charts = catalog.Catalog(charts={}, images=pins, values={})

    assert list(images.image_roles(charts, {"1.34"})) == [
        "registry.k8s.io/autoscaling/cluster-autoscaler:v1.34.2"
    ]


def test_what_a_chart_pulls_comes_from_where_its_values_say():
    pins = yaml.safe_load((catalog.FOLDER / "charts.yaml").read_text())["charts"]
    strangers = [
        pulled
        for pin in pins.values()
        for pulled in pin["pulls"]
        if not any(pulled.startswith(public) for public in pin["images"].values())
    ]

    assert strangers == []
