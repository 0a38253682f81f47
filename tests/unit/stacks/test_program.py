import dataclasses
import json
from fnmatch import fnmatch
from types import SimpleNamespace

import pulumi
import pytest
import yaml

from moka import event_logs
from moka.mistakes import InvalidDocument
from moka.project import version
from stacks import deployed_version, deployment, program, settings, slices
from stacks.layers import foundation

LOCAL = settings.path_of("local").read_text()


@pytest.fixture(scope="module")
def recorder(whole):
    """All of local, in one stack."""
    return whole("local")


def names(recorder) -> set[tuple[str, str]]:
    return {(recorder.type, recorder.name) for recorder in recorder.resources}


def test_every_layer_is_deployed_by_the_one_stack(recorder):
    releases = {m.inputs["name"] for m in recorder.resources if m.type == "kubernetes:helm.sh/v3:Release"}
    assert releases >= {"yunikorn", "spark-operator", "traefik", "fluent-bit", "kube-state-metrics"}
    sets = {
        m.inputs["metadata"]["name"] for m in recorder.resources if m.type == "kubernetes:apps/v1:StatefulSet"
    }
    workers = {f"celeborn-worker-us-east-1{zone}" for zone in "abc"}
    assert sets == {"celeborn-master", "history-server", "prometheus", *workers}


def test_both_architectures_have_node_groups(recorder):
    images = {m.inputs["amiType"] for m in recorder.resources if m.type == "eks:index:ManagedNodeGroup"}
    assert images == {"AL2023_ARM_64_STANDARD", "AL2023_x86_64_STANDARD"}


@pytest.mark.parametrize(("maximum", "expected"), [(3, False), (4, True)])
def test_clusters_have_an_autoscaler_where_it_has_a_choice(layers, maximum, expected):
    text = yaml.safe_load(LOCAL)
    for cluster in text["clusters"].values():
        cluster["profile"] = "adhoc" if expected else "batch"
        for group in cluster["node_groups"].values():
            group |= {"minimum": 3, "desired": 3, "maximum": 3, "spot": False}
        cluster["node_groups"]["executor-arm64"]["maximum"] = maximum
    environment = settings.parse(yaml.safe_dump(text), "stacks/local.yaml")

    recorder = layers(environment, "scheduling")

    releases = {release["name"] for release in recorder.inputs("kubernetes:helm.sh/v3:Release")}
    assert ("cluster-autoscaler" in releases) == expected
    assert ("spark-a-autoscaler" in recorder.by_name("aws:iam/role:Role")) == expected


@pytest.fixture
def job_policy(recorder):
    """Statements of what jobs may do in AWS, by id."""
    policy = recorder.by_name("aws:iam/rolePolicy:RolePolicy")["spark-a-spark-jobs"]["policy"]
    return {statement["Sid"]: statement for statement in json.loads(policy)["Statement"]}


def test_jobs_put_event_logs_and_can_read_no_events(job_policy):
    def patterns(action):
        of_action = [statement for statement in job_policy.values() if action in statement["Action"]]
        arns = [arn for statement in of_action for arn in statement["Resource"] if "event-logs/" in arn]
        return [arn.rpartition("event-logs/")[2] for arn in arns]

    log = f"spark-{'0' * 32}"
    events = event_logs.archive_key(log, event_logs.events_file(log, 1))
    assert any(fnmatch(events, pattern) for pattern in patterns("s3:PutObject"))
    assert patterns("s3:GetObject") == []


def test_jobs_stage_in_the_folder_of_their_namespace_and_in_no_other(job_policy):
    folder = "${aws:PrincipalTag/kubernetes-namespace}/*"

    [resource] = job_policy["WriteStaging"]["Resource"]
    assert resource.endswith(f"staging/{folder}")
    assert job_policy["FindStaging"]["Condition"] == {"StringLike": {"s3:prefix": [folder]}}


def test_roles_for_pods_are_under_the_path_of_their_environment(recorder):
    for_pods = {
        name: role
        for name, role in recorder.by_name("aws:iam/role:Role").items()
        if "pods.eks.amazonaws.com" in role["assumeRolePolicy"]
    }
    assert {"spark-a-spark-jobs", "spark-a-fluent-bit", "spark-a-history"} <= set(for_pods)
    assert {role["path"] for role in for_pods.values()} == {"/moka-local/"}


@pytest.mark.parametrize(
    ("last", "first"),
    [
        ("helm.sh/v3:Release::spark-a-ingress", "helm.sh/v3:Release::spark-a-load-balancing"),
        ("core/v1:Namespace::spark-a-ingress-pages", "helm.sh/v3:Release::spark-a-load-balancing"),
        ("helm.sh/v3:Release::spark-a-load-balancing", "PodIdentityAssociation::spark-a-load-balancing"),
        ("helm.sh/v3:Release::spark-a-autoscaler", "PodIdentityAssociation::spark-a-autoscaler"),
        ("helm.sh/v3:Release::spark-a-fluent-bit", "PodIdentityAssociation::spark-a-fluent-bit"),
    ],
)
def test_what_needs_another_comes_after_it_and_so_goes_before_it(recorder, last, first):
    # What a component waits for, all in it waits for.
    [request] = [request for place, request in recorder.tree().items() if place.endswith(last)]
    needed = set()
    while request:
        needed |= set(request.dependencies)
        request = recorder.monitor.requests.get(request.parent)
    assert any(urn.endswith(first) for urn in needed)


def test_values_for_a_release_that_is_not_there_are_refused_in_the_file():
    with pytest.raises(InvalidDocument, match=r"no release has that name; did you mean 'yunikorn'"):
        settings.parse(f"{LOCAL}\ncharts: {{values: {{yunicorn: {{}}}}}}", "stacks/local.yaml")


def test_every_resource_at_the_top_of_a_stack_belongs_to_one_unit(deploy, monkeypatch):
    """Otherwise it would stay behind when its unit moves to another stack."""
    local = settings.load("local")
    exported = {}
    monkeypatch.setattr(pulumi, "export", exported.__setitem__)

    recorder = deploy(lambda: program.deploy(local, slices.slice_named(local, "")))

    assert exported.pop(deployed_version.OUTPUT) == version()
    members = [resource for unit in exported.values() for resource in unit[slices.RESOURCES]]
    at_the_top = [place for place in recorder.tree() if "$" not in place and not place.startswith("pulumi:")]
    assert exported.keys() == {str(unit) for unit in slices.units(local)}
    assert sorted(members) == sorted(at_the_top)


PARTED = f"{LOCAL}\nslices: {{shared: {{layers: [foundation]}}, spark-a: {{clusters: [spark-a]}}}}\n"


def test_a_stack_with_a_unit_that_the_settings_give_to_another_is_refused(deploy, monkeypatch):
    environment = settings.parse(PARTED, "stacks/local.yaml")
    before = {"outputs": {"foundation/main": {}, "cluster/spark-a": {}}}
    monkeypatch.setattr(pulumi.runtime, "invoke", lambda *_: SimpleNamespace(value=before))

    with pytest.raises(
        pulumi.RunError, match=r"has foundation/main, which .* gives to local.shared: run `make move"
    ):
        deploy(lambda: program.deploy(environment, slices.slice_named(environment, "spark-a")))


@pytest.mark.parametrize("cluster", ["spark-a", "spark-b"])
def test_a_database_in_the_stack_of_a_cluster_that_was_home_is_refused_there_and_where_it_is_to_be(
    deploy, monkeypatch, cluster
):
    text = yaml.safe_load(LOCAL)
    text["clusters"]["spark-b"] = text["clusters"]["spark-a"]
    text["home"] = "spark-b"
    text["slices"] = {
        "shared": {"layers": ["foundation"]},
        "spark-a": {"clusters": ["spark-a"]},
        "spark-b": {"clusters": ["spark-b"]},
    }
    environment = settings.parse(yaml.safe_dump(text), "stacks/local.yaml")
    exported = {"local.spark-a": {"cluster/spark-a": {}, "archer/spark-a": {}, "database/spark-a": {}}}

    def invoke(_, arguments):
        stack = arguments["name"].rpartition("/")[2]
        if stack not in exported:
            raise Exception(
                f'invocation of pulumi:pulumi:readStackOutputs returned an error: unknown stack "{stack}"'
            )
        return SimpleNamespace(value={"outputs": exported[stack]})

    monkeypatch.setattr(pulumi, "get_stack", lambda: f"local.{cluster}")
    monkeypatch.setattr(pulumi.runtime, "invoke", invoke)

    with pytest.raises(
        pulumi.RunError,
        match=r"local.spark-a has database/spark-a, which .* gives to local.spark-b: run `make move",
    ):
        deploy(lambda: program.deploy(environment, slices.slice_named(environment, cluster)))


def test_a_stack_that_comes_before_what_it_reads_is_told_which_that_is():
    with pytest.raises(
        pulumi.RunError, match=r"local\.shared has no foundation/main yet.*bring local\.shared up"
    ):
        deployment._exported("local.shared", slices.Unit("foundation", "main"), None)


def test_a_stack_that_reads_what_an_earlier_version_did_not_export_is_told_which_to_bring_up():
    [field] = [field for field in dataclasses.fields(foundation.Outputs) if field.name == "code_bucket"]
    read = deployment._reader("local.shared", slices.Unit("foundation", "main"), field)

    with pytest.raises(
        pulumi.RunError, match=r"local\.shared has no code_bucket of foundation/main.*bring local\.shared up"
    ):
        read({"staging_bucket": "staging"})
