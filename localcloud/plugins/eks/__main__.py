"""`python -m localcloud.plugins.eks ENGINE`: serve the engine at this address."""

import gc
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
    # What the SDKs load stays, and this process ends with the engine: there is no garbage worth collecting.
    gc.disable()
    # Imported here, as the SDKs take a second to load.
    from pulumi.runtime import register_resource_module

    from localcloud.plugins.eks.plugin import Plugin
    from localcloud.plugins.eks.reference import References
    from localcloud.plugins.eks.serving import serve

    register_resource_module("eks", "index", References())

    engine = next((argument for argument in sys.argv[1:] if not argument.startswith("-")), "")
    serve(Plugin(), engine)
    return 0


if __name__ == "__main__":
    sys.exit(main())
