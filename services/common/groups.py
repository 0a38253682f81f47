"""Groups in a token of OpenID Connect."""

import logging
from collections.abc import Mapping

from services.common.logs import fields

log = logging.getLogger(__name__)

LEFT_OUT = {"_claim_names", "hasgroups"}
"""What Microsoft's issuer has in place of the groups of somebody who is in more than 200:
https://learn.microsoft.com/en-us/entra/identity-platform/id-token-claims-reference"""


def groups(claims: Mapping[str, object], claim: str) -> list[object]:
    """What a claim lists; nothing where it is not there, which is logged where the issuer left it out."""
    value = claims.get(claim)
    if value is None and LEFT_OUT & claims.keys():
        log.warning("the issuer left groups out, as they are too many", extra=fields(sub=claims.get("sub")))
    return value if isinstance(value, list) else [] if value is None else [value]
