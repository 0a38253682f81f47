"""Who enters a real API server by an access entry, and what they may do there."""

import json
import os
import subprocess
from uuid import uuid4

import psutil
import pytest

from aws_rules.access.identity import default_username
from localcloud import tools
from localcloud.control_plane import stand_ins
from localcloud.control_plane.api import Api
from localcloud.credentials import Principal, principal
from localcloud.errors import Refusal
from localcloud.store import Store, store_folder

POLICIES = "arn:aws:eks::aws:cluster-access-policy"
JOBS, ELSEWHERE = "jobs-of-access", "elsewhere-of-access"
APPLICATIONS = f"/apis/sparkoperator.k8s.io/v1beta2/namespaces/{JOBS}/sparkapplications"
EVERYWHERE = {"type": "cluster"}
IN_JOBS = {"type": "namespace", "namespaces": [JOBS]}


class Person:
    """A role of IAM, its access entry, and the API server as it sees it."""

    def __init__(self, plane, kept):
        self.arn = f"arn:aws:iam::123456789012:role/people/{uuid4().hex[:8]}"
        self.plane, self.kept = plane, kept
        self.signs_in(principal(self.arn))

    def signs_in(self, as_whom):
        token = self.plane.credentials.principal_token(as_whom)
        self.api = Api(self.plane.endpoint, self.plane.credentials.authority.read_text(), token)

    def let_in(self, *groups):
        entry = {
            "clusterName": self.plane.name,
            "principalArn": self.arn,
            "type": "STANDARD",
            "username": default_username(self.arn),
            "kubernetesGroups": list(groups),
        }
        self.kept.put("access-entry", self.plane.name, self.arn, thing=entry)

    def given(self, policy, scope=EVERYWHERE):
        arn = f"{POLICIES}/AmazonEKS{policy}Policy"
        thing = {"policyArn": arn, "accessScope": scope}
        self.kept.put("policy", self.plane.name, self.arn, arn, thing=thing)

    def thrown_out(self):
        self.kept.remove("access-entry", self.plane.name, self.arn)
        self.kept.remove("policy", self.plane.name, self.arn)

    def refusal(self, act):
        """What the API server says to a request; empty where it does it."""
        try:
            act(self.api)
        except Refusal as refusal:
            return str(refusal)
        return ""


@pytest.fixture(scope="module")
def namespaces(api):
    for name in (JOBS, ELSEWHERE):
        api.apply_all([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}])


@pytest.fixture
def person(plane, planes, namespaces):
    person = Person(plane, Store(store_folder(planes) / "123456789012" / "us-east-1" / "eks"))
    yield person
    person.thrown_out()


def pods(namespace=JOBS):
    return lambda api: api.list(f"/api/v1/namespaces/{namespace}/pods")


def applications(api):
    return api.list(APPLICATIONS)


def deletion(path):
    return lambda api: api.delete(path)


def test_nobody_enters_without_an_entry(person):
    assert person.refusal(pods()).endswith("Unauthorized")


def test_an_entry_without_policies_and_groups_lets_in_and_allows_nothing(person):
    person.let_in()

    assert 'cannot list resource "pods" in API group ""' in person.refusal(pods())


def test_the_user_is_the_session_of_the_role(person):
    person.let_in("devs")
    person.signs_in(Principal(person.arn, "me@example.com"))
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}

    who = person.api.create("/apis/authentication.k8s.io/v1/selfsubjectreviews", review)["status"]["userInfo"]

    name = person.arn.rpartition("/")[2]
    assert who["username"] == f"arn:aws:sts::123456789012:assumed-role/{name}/me-example.com"
    assert set(who["groups"]) == {"devs", "system:authenticated"}
    assert who["extra"]["canonicalArn"] == [person.arn]


AWS_AUTH = "/api/v1/namespaces/kube-system/configmaps/aws-auth"


@pytest.fixture
def by_config_map(person, api):
    """The cluster goes by aws-auth: a function that writes its roles."""
    cluster = {"accessConfig": {"authenticationMode": "CONFIG_MAP"}}
    person.kept.put("cluster", person.plane.name, thing=cluster)
    about = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "aws-auth"}}
    yield lambda roles: api.apply(AWS_AUTH, {**about, "data": {"mapRoles": json.dumps(roles)}})
    api.delete(AWS_AUTH)
    person.kept.remove("cluster", person.plane.name)
    person.kept.remove("bootstrap", person.plane.name)


def test_aws_auth_lets_in_whom_it_maps(person, by_config_map):
    assert person.refusal(pods()).endswith("Unauthorized")

    # Without the path, which a session does not show.
    arn = person.arn.replace("role/people/", "role/")
    by_config_map([{"rolearn": arn, "username": "somebody", "groups": ["system:masters"]}])

    person.signs_in(Principal(person.arn, "another"))
    assert person.refusal(pods()) == ""


def test_who_made_a_cluster_that_goes_by_aws_auth_is_its_administrator(person, by_config_map):
    person.kept.put("bootstrap", person.plane.name, thing={"creator": person.arn})

    assert person.refusal(pods()) == ""


@pytest.mark.parametrize(
    ("policy", "act", "verb"),
    [
        ("View", deletion(f"/api/v1/namespaces/{JOBS}/pods/any"), 'delete resource "pods"'),
        ("View", lambda api: api.list(f"/api/v1/namespaces/{JOBS}/secrets"), 'list resource "secrets"'),
        ("View", applications, 'list resource "sparkapplications"'),
        # A developer with `edit`, as it was before there were groups.
        ("Edit", applications, 'list resource "sparkapplications"'),
        ("Edit", deletion(f"{APPLICATIONS}/nightly"), 'delete resource "sparkapplications"'),
        ("Edit", lambda api: api.list("/api/v1/nodes"), 'list resource "nodes"'),
        ("Admin", applications, 'list resource "sparkapplications"'),
        ("AdminView", deletion(f"{APPLICATIONS}/nightly"), 'delete resource "sparkapplications"'),
    ],
)
def test_what_a_policy_lacks_is_forbidden_in_kubernetes_own_words(person, policy, act, verb):
    person.let_in()
    person.given(policy)

    refusal = person.refusal(act)

    assert f"cannot {verb}" in refusal
    assert "is forbidden: User" in refusal


@pytest.mark.parametrize(
    ("policy", "act"),
    [
        ("View", pods()),
        ("Edit", deletion(f"/api/v1/namespaces/{JOBS}/pods/any")),
        ("AdminView", applications),
        ("ClusterAdmin", deletion(f"{APPLICATIONS}/nightly")),
        ("ClusterAdmin", lambda api: api.list("/api/v1/nodes")),
    ],
)
def test_what_a_policy_has_is_allowed(person, policy, act):
    person.let_in()
    person.given(policy)

    assert person.refusal(act) == ""


def test_a_policy_of_a_namespace_holds_nowhere_else(person):
    person.let_in()
    person.given("Edit", IN_JOBS)

    assert person.refusal(pods(JOBS)) == ""
    assert f'in the namespace "{ELSEWHERE}"' in person.refusal(pods(ELSEWHERE))
    assert "at the cluster scope" in person.refusal(lambda api: api.list("/api/v1/pods"))


def test_a_group_allows_what_it_is_bound_to_where_it_is_bound(person, api, eventually):
    person.let_in(group := f"devs-{uuid4().hex[:6]}")
    assert 'cannot list resource "sparkapplications"' in person.refusal(applications)
    roles = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{JOBS}"
    rule = {"apiGroups": ["sparkoperator.k8s.io"], "resources": ["sparkapplications"], "verbs": ["list"]}
    api.apply(
        f"{roles}/roles/{group}",
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "Role",
            "metadata": {"name": group, "namespace": JOBS},
            "rules": [rule],
        },
    )
    api.apply(
        f"{roles}/rolebindings/{group}",
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "RoleBinding",
            "metadata": {"name": group, "namespace": JOBS},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": group},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group}],
        },
    )

    # RBAC's caches follow.
    assert eventually(lambda: person.refusal(applications) == "")
    assert "is forbidden" in person.refusal(lambda api: api.list(APPLICATIONS.replace(JOBS, ELSEWHERE)))


def test_an_entry_that_is_deleted_keeps_out_and_one_that_is_made_again_lets_in(person, eventually):
    person.let_in()
    person.given("View")
    assert person.refusal(pods()) == ""

    person.thrown_out()
    assert eventually(lambda: person.refusal(pods()).endswith("Unauthorized"))

    person.let_in()
    person.given("View")
    assert eventually(lambda: person.refusal(pods()) == "")


def test_a_policy_that_is_taken_away_allows_no_more(person, eventually):
    person.let_in()
    person.given("View")
    assert person.refusal(pods()) == ""

    person.kept.remove("policy", person.plane.name, person.arn)

    assert eventually(lambda: "is forbidden" in person.refusal(pods()))


def test_who_impersonates_somebody_has_their_rights_and_no_access_policy(person):
    person.let_in()
    person.given("ClusterAdmin")
    assert person.refusal(pods()) == ""

    person.api._headers["Impersonate-User"] = "somebody-else"

    assert 'User "somebody-else" cannot list resource "pods"' in person.refusal(pods())


def test_a_token_of_another_cluster_lets_nobody_in(person, planes):
    person.let_in()
    person.given("ClusterAdmin")
    other = type(person.plane)(planes, "spark-elsewhere")
    other.credentials.make()
    token = other.credentials.principal_token(principal(person.arn))

    stranger = Api(person.plane.endpoint, person.plane.credentials.authority.read_text(), token)

    with pytest.raises(Refusal, match="Unauthorized"):
        stranger.list("/api/v1/pods")


def test_kubectl_says_what_it_says_of_eks_to_who_is_let_in_and_to_who_is_not(person, eventually):
    kubeconfig = person.plane.principal_kubeconfig(principal(person.arn))

    def kubectl(*arguments):
        return subprocess.run(
            [tools.path("kubectl"), *arguments],
            env={**os.environ, "KUBECONFIG": str(kubeconfig)},
            capture_output=True,
            text=True,
        )

    assert "You must be logged in to the server" in kubectl("get", "pods", "-n", JOBS).stderr

    person.let_in()
    person.given("View")

    assert eventually(lambda: kubectl("get", "pods", "-n", JOBS).returncode == 0)
    assert "cannot list resource" in kubectl("get", "secrets", "-n", JOBS).stderr


def test_what_decides_comes_back_when_it_was_killed(person, eventually):
    person.let_in()
    person.given("View")
    assert person.refusal(pods()) == ""
    process = person.plane.process("authenticator")
    psutil.Process(json.loads(process.pid_file.read_text())["pid"]).kill()

    stand_ins.resume(person.plane)

    assert person.plane.alive()
    assert eventually(lambda: person.refusal(pods()) == "")
