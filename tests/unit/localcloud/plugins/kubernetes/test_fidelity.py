"""Names and tokens here, beside those of pulumi_kubernetes."""

import re
from importlib.metadata import version
from pathlib import Path

import pulumi_kubernetes
import pytest
from pulumi import _types
from pulumi_kubernetes.helm.v3 import Release, ReleaseArgs
from pulumi_kubernetes.provider import ProviderArgs

from localcloud.errors import Refusal
from localcloud.plugins.kubernetes import immutable, kinds, releases, settings
from localcloud.plugins.kubernetes.__main__ import VERSION
from localcloud.plugins.kubernetes.kinds import Kind, kind_of_token

SDK = Path(pulumi_kubernetes.__file__).parent
TOKEN = re.compile(r"super\(\w+, __self__\)\.__init__\(\s*'(kubernetes:[^']+)'")
SAID = re.compile(r"""__props__\.__dict__\["(api_version|kind)"\] = '([^']+)'""")


def resources():
    """Token of every resource class of the SDK, and the apiVersion and kind that it sends."""
    for path in sorted(SDK.rglob("*.py")):
        text = path.read_text()
        for token in TOKEN.findall(text):
            yield token, dict(SAID.findall(text))


RESOURCES = list(resources())
OBJECTS = [(token, names) for token, names in RESOURCES if names and not token.endswith(("List", "Patch"))]
OTHERS = [token for token, _ in RESOURCES if token.endswith(("List", "Patch"))]


def test_the_plugin_answers_to_the_sdk_that_is_installed():
    assert version("pulumi-kubernetes") == VERSION


def test_every_kind_of_the_sdk_is_walked():
    assert len(OBJECTS) > 150 and len(OTHERS) > 150


@pytest.mark.parametrize(("token", "names"), OBJECTS, ids=[token for token, _ in OBJECTS])
def test_a_token_stands_for_the_kind_that_the_sdk_sends(token, names):
    assert kind_of_token(token) == Kind.of(names["api_version"], names["kind"])


@pytest.mark.parametrize("token", OTHERS)
def test_lists_and_patches_are_refused_in_one_sentence(token):
    with pytest.raises(Refusal, match=r"^kubernetes:\S+ (cannot be created|is not served)[^\n]*\.$"):
        kind_of_token(token)


@pytest.mark.parametrize("token", ["kubernetes:helm.sh/v4:Chart", "kubernetes:yaml/v2:ConfigFile"])
def test_what_is_no_kind_of_kubernetes_is_refused_with_a_way_out(token):
    with pytest.raises(Refusal, match=r"is not served on the laptop: (use|declare)"):
        kind_of_token(token)


def test_custom_resources_stand_for_whatever_kind_they_name():
    kind = kind_of_token("kubernetes:sparkoperator.k8s.io/v1beta2:SparkApplication")

    assert (kind.api_version, kind.name) == ("sparkoperator.k8s.io/v1beta2", "SparkApplication")


def test_a_release_takes_the_inputs_of_the_sdk_and_no_others():
    assert set(_types.input_type_py_to_pulumi_names(ReleaseArgs).values()) == releases.INPUTS


def test_a_release_gives_the_outputs_of_the_sdk_and_no_others():
    assert set(_types.resource_types(Release)) == releases.OUTPUTS


def test_the_provider_takes_the_configuration_of_the_sdk_and_no_other():
    assert set(_types.input_type_py_to_pulumi_names(ProviderArgs).values()) == settings.INPUTS


def test_every_field_whose_change_replaces_is_one_of_a_kind_of_the_sdk():
    of_sdk = {(Kind.of(names["api_version"], names["kind"]).group, names["kind"]) for _, names in OBJECTS}

    assert immutable.FIXED.keys() <= of_sdk


def test_every_kind_in_no_namespace_is_one_of_the_sdk():
    # Some are only asked for by programs that talk to the API server themselves.
    of_sdk = {names["kind"] for _, names in OBJECTS}

    unknown = set(kinds.CLUSTER_SCOPED.split()) - of_sdk
    assert unknown <= {
        "ComponentStatus",
        "SelfSubjectAccessReview",
        "SelfSubjectReview",
        "SelfSubjectRulesReview",
        "StorageVersion",
        "SubjectAccessReview",
        "TokenReview",
    }
