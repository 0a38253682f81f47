"""`moka mirror`, against skopeo and Helm that only note what they are asked."""

import hashlib
import json
import os

import pytest

from moka import catalog
from moka.mirror import chart_copies, image_copies, missing_architectures

MIRROR = "444455556666.dkr.ecr.us-east-1.amazonaws.com"

INDEX = json.dumps(
    {"manifests": [{"platform": {"os": "linux", "architecture": name}} for name in ("amd64", "arm64")]}
)

STUB = """#!/bin/sh
echo "$(basename $0) $*" >> "$CALLS"
case "$(basename $0) $*" in
  *get-login-password*) echo secret ;;
  *login*) echo "read $(cat)" >> "$CALLS" ;;
  *"$ABSENT"*) [ -z "$ABSENT" ] || { echo "manifest unknown" >&2; exit 1; } ;;
esac
case "$(basename $0) $*" in
  "skopeo inspect"*) cat "$MANIFEST" ;;
  "helm pull"*) touch "$(echo "$*" | sed 's/.*--destination //')/chart.tgz" ;;
esac
"""


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """skopeo, Helm and AWS's command line, each a stub; what they were asked, line by line."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("skopeo", "helm", "aws"):
        (folder / name).write_text(STUB)
        (folder / name).chmod(0o755)
    calls, manifest = tmp_path / "calls", tmp_path / "manifest"
    manifest.write_text(INDEX)
    calls.touch()
    for name, value in {
        "PATH": f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin",
        "CALLS": str(calls),
        "MANIFEST": str(manifest),
        "ABSENT": "",
    }.items():
        monkeypatch.setenv(name, value)
    # No image and no chart of the stubs has the digest of a real one.
    pinned = catalog.read()
    for kind in (*pinned.charts.values(), *pinned.images.values()):
        object.__setattr__(kind, "digest", None)
    for chart in pinned.charts.values():
        object.__setattr__(chart, "pulls", [name.partition("@")[0] for name in chart.pulls])
    monkeypatch.setattr(catalog, "read", lambda: pinned)
    return lambda: calls.read_text().splitlines()


def test_a_dry_run_shows_every_chart_and_image_and_touches_nothing(moka, programs):
    result = moka("mirror", "prod", "--dry-run")

    lines = result.out.splitlines()
    charts = catalog.read()
    assert result.status == 0
    assert len(lines) == len([*chart_copies(charts, MIRROR), *image_copies(charts, MIRROR)])
    assert f"image  docker.io/fluent/fluent-bit:5.1.5 -> {MIRROR}/docker.io/fluent/fluent-bit:5.1.5" in lines
    assert programs() == []


def test_what_is_there_is_not_copied_again(moka, programs):
    result = moka("mirror", "prod")

    assert result.status == 0, result.err
    assert not any(line.startswith(("skopeo copy", "helm push", "helm pull")) for line in programs())
    assert result.out.splitlines()[-1].startswith(f"{MIRROR} has all ")


@pytest.mark.parametrize("host", [MIRROR, "444455556666.dkr-ecr.us-east-1.on.aws"])
def test_it_logs_in_to_ecr_before_it_copies_and_passes_no_password_as_an_argument(moka, programs, host):
    moka("mirror", "prod", "--to", host)

    assert programs()[:5] == [
        "aws ecr get-login-password --region us-east-1",
        f"skopeo login --username AWS --password-stdin {host}",
        "read secret",
        f"helm registry login --username AWS --password-stdin {host}",
        "read secret",
    ]


def test_a_registry_that_is_nearly_one_of_ecr_is_refused(moka, programs):
    result = moka("mirror", "prod", "--to", "444455556666.dkr.ecr.us-east-1")

    assert result.status == 2
    assert "write the host of ECR as <account>.dkr.ecr.<region>.amazonaws.com" in result.err
    assert programs() == []


def test_what_is_missing_is_copied_with_all_architectures(moka, programs, monkeypatch):
    monkeypatch.setenv("ABSENT", f"docker://{MIRROR}")

    result = moka("mirror", "prod")

    # The stub's copy fails as well, since the mirror's name is in it: what counts is what was asked.
    assert result.status == 1
    copied = [line for line in programs() if line.startswith("skopeo copy")]
    assert copied[0].startswith("skopeo copy --all --preserve-digests --quiet docker://")
    assert len(copied) == len(list(image_copies(catalog.read(), MIRROR)))
    assert "run this again to go on." in result.err


# As skopeo 1.9.3 and Helm 3.19.5 say it of distribution's registry.
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (
            'time="2026-11-22T09:28:51Z" level=fatal msg="Error parsing image name \\"docker://a/b:1\\": '
            'pinging container registry a: unauthorized: authentication required"',
            'Error parsing image name "docker://a/b:1": pinging container registry a: unauthorized: '
            "authentication required",
        ),
        (
            'Error: failed to perform "Exists" on destination: HEAD "a": basic credential not found',
            'failed to perform "Exists" on destination: HEAD "a": basic credential not found',
        ),
    ],
    ids=["skopeo", "helm"],
)
def test_who_is_not_logged_in_is_told_so_in_the_programs_words(
    moka, programs, tmp_path, monkeypatch, line, reason
):
    (tmp_path / "line").write_text(line)
    for name in ("skopeo", "helm"):
        (tmp_path / "bin" / name).write_text(f'#!/bin/sh\ncat "{tmp_path}/line" >&2\nexit 1\n')

    result = moka("mirror", "prod", "--to", "registry.example/mirror")

    assert result.status == 1
    assert f": {reason}.\n" in result.err
    assert (
        "Log in first: `skopeo login registry.example` and `helm registry login registry.example`."
        in result.err
    )


def test_an_image_without_one_of_the_architectures_is_not_copied(moka, programs, tmp_path):
    (tmp_path / "manifest").write_text(
        json.dumps({"manifests": [{"platform": {"os": "linux", "architecture": "amd64"}}]})
    )

    result = moka("mirror", "prod")

    assert result.status == 1
    assert "it does not exist for arm64, of amd64 and arm64" in result.err


def test_an_image_with_another_digest_than_the_catalogs_is_not_copied(moka, programs):
    [image] = [image for name, image in catalog.read().images.items() if name == "pause"]
    object.__setattr__(image, "digest", "sha256:" + "0" * 64)

    result = moka("mirror", "prod")

    assert result.status == 1
    digest = hashlib.sha256(INDEX.encode()).hexdigest()
    assert f"its digest is sha256:{digest}, and the catalog has sha256:000" in result.err


def test_missing_programs_are_named_with_where_to_get_them(moka, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))

    result = moka("mirror", "prod")

    assert result.status == 2
    assert "skopeo (https://github.com/containers/skopeo" in result.err
    assert "aws (https://docs.aws.amazon.com" in result.err


def test_without_a_mirror_in_the_settings_one_has_to_be_named(moka, programs):
    assert moka("mirror", "local").status == 2
    assert moka("mirror", "local", "--to", "registry.example/mirror").out.splitlines()[-1] == (
        "Set `charts: {mirror: registry.example/mirror}` in stacks/local.yaml to pull from there."
    )


def test_a_pinned_image_is_copied_by_its_digest_and_found_by_its_tag():
    [copy] = [c for c in image_copies(catalog.read(), "m") if "ingress-nginx" in c.source]

    assert copy.source == f"registry.k8s.io/ingress-nginx/controller@{copy.digest}"
    assert copy.target == "m/registry.k8s.io/ingress-nginx/controller:v1.15.1"


def test_an_image_that_is_no_list_is_for_nobody_knows_which_architecture():
    assert missing_architectures(b'{"config": {}}') == {"amd64", "arm64"}
