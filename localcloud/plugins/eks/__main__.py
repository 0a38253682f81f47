"""`python -m localcloud.plugins.eks ENGINE`: serve the engine at this address."""

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
    from pulumi.runtime import register_resource_module

    from localcloud.plugins.components.plugin import run
    from localcloud.plugins.eks.plugin import Plugin
    from localcloud.plugins.eks.reference import References

    register_resource_module("eks", "index", References())

    run(Plugin())
    return 0


if __name__ == "__main__":
    sys.exit(main())
