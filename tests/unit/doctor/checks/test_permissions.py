from doctor.checks import permissions
from tests.support.aws_stubs import lines

DEPLOYER = "arn:aws:iam::123456789012:role/ci/deployer"


def simulation(place, decide):
    """What IAM answers of all actions; `decide(action)` is what it says other than `allowed`."""
    answers = []
    for grant in permissions.grants(place()):
        results = [
            {"EvalActionName": name, "EvalDecision": "allowed", **decide(name)} for name in grant.actions
        ]
        answers.append(("simulate_principal_policy", None, {"EvaluationResults": results}))
    return {"iam": answers}


def allowing(action):
    return {}


def test_a_deployer_that_may_do_everything_is_fine(place):
    [finding] = lines(permissions.simulation, place(stubbed=simulation(place, allowing)))

    assert finding.startswith("ok main The deployer is allowed all ")


def test_what_is_denied_is_named_by_service_with_the_reason(place):
    def decide(action):
        return {
            "s3:PutBucketPolicy": {"EvalDecision": "explicitDeny"},
            "ec2:CreateVpc": {"EvalDecision": "implicitDeny"},
            "ec2:DeleteVpc": {"EvalDecision": "implicitDeny"},
            "kms:CreateKey": {
                "EvalDecision": "implicitDeny",
                "OrganizationsDecisionDetail": {"AllowedByOrganizations": False},
            },
            "iam:CreateRole": {
                "EvalDecision": "implicitDeny",
                "PermissionsBoundaryDecisionDetail": {"AllowedByPermissionsBoundary": False},
            },
            "eks:CreateCluster": {
                "EvalDecision": "implicitDeny",
                "MissingContextValues": ["aws:PrincipalTag/x"],
            },
        }.get(action, {})

    findings = lines(permissions.simulation, place(stubbed=simulation(place, decide)))

    assert set(findings) == {
        f"problem main {DEPLOYER} is denied ec2:{{CreateVpc, DeleteVpc}} as nothing allows it on *. Grant it "
        "to the deployer.",
        f"problem main {DEPLOYER} is denied kms:{{CreateKey}} by a policy of the organization. Grant it to "
        "the deployer.",
        f"problem main {DEPLOYER} is denied s3:{{PutBucketPolicy}} by an explicit deny. Grant it to the "
        "deployer.",
        f"problem main {DEPLOYER} is denied iam:{{CreateRole}} by its permissions boundary. Grant it to the "
        "deployer.",
        f"warning main {DEPLOYER} is denied eks:{{CreateCluster}} unless a condition is met that cannot be "
        "simulated. Grant it to the deployer.",
    }
    assert len(findings) == 5


def test_roles_are_simulated_under_the_environment_s_path_and_with_its_boundary(place):
    boundary = "arn:aws:iam::123456789012:policy/boundary"

    def bounded(written):
        written["foundations"]["main"]["permissions_boundary"] = boundary

    actions = simulation(place, allowing)["iam"]
    number = next(n for n, (_, _, answer) in enumerate(actions) if _names(answer)[0] == "iam:CreateRole")
    actions[number] = (
        "simulate_principal_policy",
        {
            "PolicySourceArn": DEPLOYER,
            "ActionNames": _names(actions[number][2]),
            "ResourceArns": ["arn:aws:iam::123456789012:role/acme-trial/x"],
            "ContextEntries": [
                {"ContextKeyName": key, "ContextKeyValues": [value], "ContextKeyType": "string"}
                for key, value in (
                    ("aws:RequestedRegion", "us-east-1"),
                    ("iam:PermissionsBoundary", boundary),
                )
            ],
        },
        actions[number][2],
    )

    [finding] = lines(permissions.simulation, place(bounded, stubbed={"iam": actions}))

    assert finding.startswith("ok main")


def _names(answer):
    return [result["EvalActionName"] for result in answer["EvaluationResults"]]


def test_who_may_not_simulate_is_warned_that_nobody_knows(place):
    stubbed = {"iam": [("simulate_principal_policy", None, "AccessDenied")]}

    assert lines(permissions.simulation, place(stubbed=stubbed)) == [
        f"warning main What {DEPLOYER} may do is not known: it needs the permission "
        "iam:SimulatePrincipalPolicy. Grant it to the principal that runs the doctor, to know before `up` "
        "fails."
    ]
