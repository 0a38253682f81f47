"""`python -m localcloud.plugins.awsx ENGINE`: serve the engine at this address."""

import os
import sys

from localcloud.errors import Refusal
from localcloud.plugins.safety import refuse_unless_laptop


def main() -> int:
    """Serve; exit status."""
    try:
        refuse_unless_laptop(os.environ)
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 1
    # Imported here, as the SDKs take a second to load.
    from localcloud.engine import NEWEST
    from localcloud.plugins.awsx.vpc import Vpc
    from localcloud.plugins.components.plugin import ComponentPlugin, run

    run(ComponentPlugin(NEWEST["awsx"], {Vpc.TYPE: Vpc}, "make the resources that you need by pulumi_aws"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
