"""The Pulumi program: settings -> layers -> outputs."""

import gc

# Looking for garbage among some million objects that stay takes a fifth of a preview; what it would find, at
# twenty clusters, is a tenth of this program's memory.
gc.disable()

from stacks.entry import deploy

deploy()
