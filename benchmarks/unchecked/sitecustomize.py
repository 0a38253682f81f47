"""A laptop that says yes to whatever it is asked: what `make bench` holds the checks' cost against.

Python loads it as it starts, in each process that has this folder on PYTHONPATH. What would be checked is not
even looked at, as verdicts are generated when somebody asks for them.
"""

import sys
from types import ModuleType

if any(argument.startswith("localcloud") for argument in sys.orig_argv):
    from localcloud import unknowns

    # Before anything imports it by name.
    unknowns.refuse = lambda cloud, verdicts: None

if "localcloud.plugins.aws" in sys.orig_argv:
    from localcloud.plugins.aws import eks_backend

    eks_backend.JOIN_CHECKS.clear()
    # In place of the module: the plugin loads it when it first checks a value, with all models and schemas.
    values = ModuleType("localcloud.plugins.aws.refusals.values")
    vars(values).update(
        failures=lambda *_: [], guard=lambda *_: None, RefusedCall=type("RefusedCall", (Exception,), {})
    )
    sys.modules[values.__name__] = values

if "localcloud.image_puller" in sys.orig_argv:
    from localcloud.plugins.aws.refusals import pulls

    pulls.find_cluster = lambda *_: None

if "localcloud" in sys.orig_argv:
    from localcloud import report

    report.standing = lambda engine: 0
