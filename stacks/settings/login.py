"""Settings of the login before pages."""

from typing import Annotated

from pydantic import AfterValidator, Field

from moka.documents import Form, Section
from stacks.settings.fields import KmsKey

Issuer = Annotated[
    str,
    Form(
        r"https://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~%-]+)*/?",
        "write the URL of the issuer as it stands in its tokens, https and no query",
    ),
]
SecretName = Annotated[
    str,
    Form(
        r"(?=.{1,512}$)(?!.*-[A-Za-z0-9]{6}$)[A-Za-z0-9/_+=.@-]+",
        "write the name of a secret of Secrets Manager, such as acme-prod/login; no ARN, and no name that "
        "ends as one does, with a dash and six characters",
    ),
]
"""Secrets Manager User Guide, "What's in a secret": names that look like the end of an ARN find others."""

Group = Annotated[
    str, Form(r"[^\s=,]([^,]{0,198}[^\s,])?", "write a group as it stands in the claim, without commas")
]


Scope = Annotated[
    str,
    Form(r"[!#-\[\]-~]{1,100}", "write a scope as the issuer has it, without spaces"),
]
"""https://www.rfc-editor.org/rfc/rfc6749#section-3.3"""


def _with_openid(scopes: list[str]) -> list[str]:
    if "openid" not in scopes:
        raise ValueError("lacks openid, without which an issuer gives no ID token; add it")
    return scopes


class Login(Section):
    """OpenID Connect: who may see pages, and which."""

    issuer: Issuer = Field(
        description="URL of the issuer, to which `/.well-known/openid-configuration` is added."
    )
    client_id: str = Field(
        min_length=1,
        max_length=200,
        description="Of the environment at the issuer; it sends browsers back to "
        "`https://login.<cluster>.<domain>/callback` of each cluster.",
    )
    secret: SecretName = Field(
        description="Name of a secret in Secrets Manager, in the account and region of each foundation, that "
        "you make: docs/operations/login.md says what is in it.",
    )
    secret_key: KmsKey | None = Field(
        default=None, description="ARN of the key that encrypts it; none where AWS's own does."
    )
    scopes: Annotated[list[Scope], AfterValidator(_with_openid)] = Field(
        default=["openid", "profile"],
        max_length=20,
        description="What is asked for at the issuer; some give groups for a scope of their own only.",
    )
    groups_claim: str = Field(
        default="groups",
        pattern=r"^\S{1,200}$",
        description="Claim of the ID token that lists a user's groups.",
    )
    operators: list[Group] = Field(
        default_factory=list,
        description="Groups that see every job, and the pages of YuniKorn and Celeborn; without any, those "
        "pages are not served.",
    )
    hours: int = Field(default=8, ge=1, le=24, description="Hours until one has to log in again.")
