"""Who we are in each account: nothing else can be asked before that is known."""

from dataclasses import dataclass

import boto3
from botocore.exceptions import BotoCoreError

from doctor.account import Clients, Place, SessionClients, Unanswered, asked
from doctor.finding import Finding, ok, problem, warning
from stacks.settings import Environment

SPENT = frozenset(
    {"ExpiredToken", "ExpiredTokenException", "InvalidClientTokenId", "UnrecognizedClientException"}
)


class CannotAsk(Exception):
    """Nothing can be asked at all; the message says why and what to do."""


@dataclass(frozen=True)
class Principal:
    """Who an ARN means, whether it is of IAM or of a session in STS."""

    account: str
    kind: str
    name: str

    @classmethod
    def of(cls, arn: str) -> "Principal":
        """Read `arn:aws:iam::1:role/path/name`, `arn:aws:sts::1:assumed-role/name/session` and the like."""
        _, _, _, _, account, rest = arn.split(":", 5)
        kind, *path = rest.split("/")
        if kind == "assumed-role":
            return cls(account, "role", path[0])
        return cls(account, kind, path[-1] if path else "")


def session() -> boto3.Session:
    """The credentials at hand. Raises CannotAsk."""
    try:
        found = boto3.Session()
        if found.get_credentials() is not None:
            return found
    except BotoCoreError as error:
        raise CannotAsk(f"The AWS credentials cannot be read: {error}") from None
    raise CannotAsk(
        "There are no AWS credentials here, so nothing can be asked: set AWS_PROFILE, or sign in with "
        "`aws sso login`."
    )


def enter(settings: Environment, clients: Clients) -> tuple[list[Place], list[Finding]]:
    """The foundations that can be asked about, and what was found about the credentials for each.

    clients: with the credentials at hand.

    Raises CannotAsk when the credentials at hand are good for nothing.
    """
    home = settings.foundation_of(settings.home)
    try:
        asked(clients("sts", home.region), "sts", "get_caller_identity")
    except Unanswered as error:
        if error.code in SPENT:
            raise CannotAsk(
                f"The AWS credentials at hand are expired or not valid ({error.reason}): renew them, as "
                "with `aws sso login`."
            ) from None
        raise CannotAsk(f"AWS does not say who we are, so nothing can be asked: {error.reason}.") from None
    places, findings = [], []
    for name in settings.foundations:
        place = Place(name=name, settings=settings, clients=clients)
        try:
            if place.foundation.assume:
                place = _assumed(place)
            arn = str(place.ask("sts", "get_caller_identity")["Arn"])
        except Unanswered as error:
            findings.append(_no_entry(place, error))
            continue
        findings.append(_identity(place, arn))
        if Principal.of(arn).account == place.account:
            places.append(place)
    return places, findings


def _assumed(place: Place) -> Place:
    """The place with the credentials of its deployer. Raises Unanswered."""
    given = place.ask("sts", "assume_role", RoleArn=place.foundation.deployer, RoleSessionName="moka-doctor")[
        "Credentials"
    ]
    taken = boto3.Session(
        aws_access_key_id=given["AccessKeyId"],
        aws_secret_access_key=given["SecretAccessKey"],
        aws_session_token=given["SessionToken"],
    )
    return Place(name=place.name, settings=place.settings, clients=SessionClients(taken))


def _no_entry(place: Place, error: Unanswered) -> Finding:
    return problem(
        place.name,
        f"Account {place.account} in {place.region} cannot be entered: {error.reason}.",
        f"Let the trust policy of {place.foundation.deployer} name the credentials at hand."
        if place.foundation.assume
        else "See whether the region is enabled in the account: `aws account get-region-opt-status "
        f"--region-name {place.region}`.",
    )


def _identity(place: Place, arn: str) -> Finding:
    """Whether who we are is who the settings say."""
    who, deployer = Principal.of(arn), Principal.of(place.foundation.deployer)
    where = f"foundations.{place.name}"
    if who.account != place.account:
        return problem(
            place.name,
            f"The credentials are of account {who.account} ({arn}), and {where}.account is {place.account}.",
            f"Use credentials of {place.account}, or set {where}.assume to take its deployer role.",
        )
    if who == deployer:
        return ok(place.name, f"The credentials are of account {place.account}, as {arn}.")
    try:
        place.ask("sts", "assume_role", RoleArn=place.foundation.deployer, RoleSessionName="moka-doctor")
    except Unanswered as error:
        return problem(
            place.name,
            f"Deployer is {place.foundation.deployer}, and we are {arn} and cannot take it: {error.reason}.",
            f"Run as the deployer, or name in {where}.deployer who runs `up`: nobody else enters the "
            "clusters.",
        )
    return warning(
        place.name,
        f"Deployer is {place.foundation.deployer}, and we are {arn}, which can take it.",
        f"Run `up` as the deployer, or set {where}.assume.",
    )
