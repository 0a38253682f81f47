"""An environment of three clusters, a stack each, in two waves."""

import yaml

from stacks import settings
from stacks.settings import Environment

LOCAL = yaml.safe_load(settings.path_of("local").read_text())
SHARED = {"shared": {"layers": ["foundation"]}}
ONE_EACH = {**SHARED, **{name: {"clusters": [name]} for name in ("a", "b", "c")}}
WAVES = {"canary": ["b"], "rest": ["a", "c"]}


def sliced_environment(**changes: object) -> Environment:
    """`local` with three clusters, `a` home, in a stack each, canary `b`; and some changes."""
    document = {
        **LOCAL,
        "clusters": dict.fromkeys("abc", LOCAL["clusters"]["spark-a"]),
        "home": "a",
        # Its nodes together are more than Docker Hub serves behind one address.
        "charts": {"mirror": "registry.example/mirror"},
        "slices": ONE_EACH,
        "waves": WAVES,
        **changes,
    }
    return settings.parse(yaml.safe_dump(document, sort_keys=False), "stacks/local.yaml")
