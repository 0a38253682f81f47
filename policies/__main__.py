"""The policy pack: assembled here, the rules are in the modules beside it, one a subject."""

import cadvisor
import exposure
from pulumi_policy import EnforcementLevel, PolicyPack

# Starts a server and does not return: everything else belongs into the modules.
PolicyPack(
    name="moka",
    enforcement_level=EnforcementLevel.MANDATORY,
    policies=[*exposure.POLICIES, *cadvisor.POLICIES],
)
