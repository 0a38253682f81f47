"""Permissions: what the deployer is allowed, by IAM's own simulation."""

from collections import defaultdict
from collections.abc import Iterator

from accounts.names import AccountNames
from accounts.permissions.grant import Grant
from accounts.permissions.policies import deploy_grants
from doctor.account import NoAnswer, Place
from doctor.finding import Finding, ok, problem, warning

BOUNDARY = "iam:PermissionsBoundary"


def grants(place: Place) -> list[Grant]:
    """What `up`, `refresh` and `down` take for what the program makes there."""
    return deploy_grants(AccountNames(place.settings, place.account), [place.name])


def simulation(place: Place) -> Iterator[Finding]:
    """IAM's decision on every action, with the organization's policies and the deployer's own boundary."""
    deployer = place.foundation.deployer
    denials_by_service: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    number = 0
    for grant in grants(place):
        number += len(grant.actions)
        try:
            denials = list(_denials(place, grant))
        except NoAnswer as error:
            if not error.denied:
                raise
            yield warning(
                place.name,
                f"What {deployer} may do is not known: {error.reason}.",
                "Grant it to the principal that runs the doctor, to know before `up` fails.",
            )
            return
        for action, reason in denials:
            service, _, name = action.partition(":")
            denials_by_service[service][reason].append(name)
    for service, reasons in denials_by_service.items():
        for reason, actions in reasons.items():
            finding = warning if reason == UNDECIDED else problem
            yield finding(
                place.name,
                f"{deployer} is denied {service}:{{{', '.join(actions)}}} {reason}.",
                "Grant it to the deployer.",
            )
    if not denials_by_service:
        yield ok(place.name, f"The deployer is allowed all {number} actions that deploying takes.")


UNDECIDED = "unless a condition is met that cannot be simulated"


def _denials(place: Place, grant: Grant) -> Iterator[tuple[str, str]]:
    """The actions that are not allowed on an example of what they are about, each with the reason."""
    resource = grant.resources[0] if grant.resources == ("*",) else grant.resources[0].replace("*", "x")
    for result in place.items(
        "iam",
        "simulate_principal_policy",
        "EvaluationResults",
        PolicySourceArn=place.foundation.deployer,
        ActionNames=list(grant.actions),
        ResourceArns=[resource],
        ContextEntries=[
            {"ContextKeyName": key, "ContextKeyValues": [value], "ContextKeyType": "string"}
            for key, value in _context(place, grant)
        ],
    ):
        if result["EvalDecision"] == "allowed":
            continue
        if not result.get("OrganizationsDecisionDetail", {}).get("AllowedByOrganizations", True):
            reason = "by a policy of the organization"
        elif not result.get("PermissionsBoundaryDecisionDetail", {}).get(
            "AllowedByPermissionsBoundary", True
        ):
            reason = "by its permissions boundary"
        elif result["EvalDecision"] == "explicitDeny":
            reason = "by an explicit deny"
        elif result.get("MissingContextValues"):
            reason = UNDECIDED
        else:
            reason = f"as nothing allows it on {resource}"
        yield str(result["EvalActionName"]), reason


def _context(place: Place, grant: Grant) -> Iterator[tuple[str, str]]:
    """What a request of the program says: where it is, and what the grant has as a condition."""
    context = {"aws:RequestedRegion": place.region}
    for keys in grant.conditions.values():
        for key, values in keys.items():
            context[key] = values if isinstance(values, str) else values[0]
    # Without one in the settings, roles are made without one.
    if not place.foundation.permissions_boundary:
        context.pop(BOUNDARY, None)
    yield from context.items()
