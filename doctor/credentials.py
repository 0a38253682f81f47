"""Whose credentials the doctor has in each account: nothing else can be asked before that is known."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError

from doctor.account import Clients, NoAnswer, Place, SessionClients, ask
from doctor.finding import Finding, ok, problem, warning
from stacks.settings import Environment

EXPIRED_CODES = frozenset(
    {"ExpiredToken", "ExpiredTokenException", "InvalidClientTokenId", "UnrecognizedClientException"}
)


class CredentialsError(Exception):
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
    """The credentials at hand. Raises CredentialsError."""
    try:
        session = boto3.Session()
        if session.get_credentials() is not None:
            return session
    except BotoCoreError as error:
        raise CredentialsError(f"The AWS credentials cannot be read: {error}") from None
    raise CredentialsError(
        "There are no AWS credentials here, so nothing can be asked: set AWS_PROFILE, or sign in with "
        "`aws sso login`."
    )


def enter(settings: Environment, clients: Clients, today: date) -> tuple[list[Place], list[Finding]]:
    """The foundations that can be asked about, and findings on the credentials for each.

    clients: with the credentials at hand. today: the day, of UTC, that is asked about.

    Raises CredentialsError when the credentials at hand cannot be used at all.
    """
    home = settings.foundation_of(settings.home)
    try:
        ask(clients("sts", home.region), "sts", "get_caller_identity")
    except NoAnswer as error:
        if error.code in EXPIRED_CODES:
            raise CredentialsError(
                f"The AWS credentials at hand are expired or not valid ({error.reason}): renew them, as "
                "with `aws sso login`."
            ) from None
        raise CredentialsError(
            f"AWS does not say whose credentials these are, so nothing can be asked: {error.reason}."
        ) from None
    places, findings = [], []
    for name in settings.foundations:
        place = Place(name=name, settings=settings, clients=clients, today=today)
        try:
            if place.foundation.assume:
                place = _assume_deployer(place)
            arn = str(place.ask("sts", "get_caller_identity")["Arn"])
        except NoAnswer as error:
            findings.append(_entry_problem(place, error))
            continue
        findings.append(_identity(place, arn))
        if Principal.of(arn).account == place.account:
            places.append(place)
    return places, findings


def _assume_deployer(place: Place) -> Place:
    """The place with the credentials of its deployer. Raises NoAnswer."""
    credentials = _assume_role(place)["Credentials"]
    session = boto3.Session(
        aws_access_key_id=credentials["AccessKeyId"],
        aws_secret_access_key=credentials["SecretAccessKey"],
        aws_session_token=credentials["SessionToken"],
    )
    return replace(place, clients=SessionClients(session))


def _assume_role(place: Place) -> Any:
    """AWS's answer to assuming the deployer. Raises NoAnswer."""
    return place.ask("sts", "assume_role", RoleArn=place.foundation.deployer, RoleSessionName="moka-doctor")


def _entry_problem(place: Place, error: NoAnswer) -> Finding:
    return problem(
        place.name,
        f"There is no access to account {place.account} in {place.region}: {error.reason}.",
        f"Allow the credentials at hand in the trust policy of {place.foundation.deployer}."
        if place.foundation.assume
        else "Check that the region is enabled in the account: `aws account get-region-opt-status "
        f"--region-name {place.region}`.",
    )


def _identity(place: Place, arn: str) -> Finding:
    """Whether the credentials are those of the deployer that the settings name."""
    principal, deployer = Principal.of(arn), place.foundation.deployer
    where = f"foundations.{place.name}"
    if principal.account != place.account:
        return problem(
            place.name,
            f"The credentials are of account {principal.account} ({arn}), and {where}.account is "
            f"{place.account}.",
            f"Use credentials of {place.account}, or set {where}.assume to assume its deployer role.",
        )
    if principal == Principal.of(deployer):
        return ok(place.name, f"The credentials are of account {place.account}, as {arn}.")
    try:
        _assume_role(place)
    except NoAnswer as error:
        return problem(
            place.name,
            f"The deployer is {deployer}; the credentials are of {arn}, which cannot assume it: "
            f"{error.reason}.",
            f"Run as the deployer, or set {where}.deployer to the principal that runs `up`: only the "
            "deployer can enter the clusters.",
        )
    return warning(
        place.name,
        f"The deployer is {deployer}; the credentials are of {arn}, which can assume it.",
        f"Run `up` as the deployer, or set {where}.assume.",
    )
