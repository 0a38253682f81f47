"""A laptop that says yes to whatever it is asked: what `make bench` holds the checks' cost against.

Python loads it as it starts, in each process that has this folder on PYTHONPATH. What would be checked is not
even looked at, as verdicts are generated when somebody asks for them.
"""

import sys

if any(argument.startswith("localcloud") for argument in sys.orig_argv):
    from localcloud import unknowns

    # Before anything imports it by name.
    unknowns.refuse = lambda cloud, verdicts: None

if "localcloud.plugins.aws" in sys.orig_argv:
    from localcloud.plugins.aws import eks_backend
    from localcloud.plugins.aws.refusals import values

    eks_backend.JOIN_CHECKS.clear()
    values.failures = lambda *_: []
    values.guard = lambda *_: None

if "localcloud.image_puller" in sys.orig_argv:
    from localcloud.plugins.aws.refusals import pulls

    pulls.find_cluster = lambda *_: None

if "localcloud" in sys.orig_argv:
    from localcloud import report

    report.standing = lambda engine: 0
