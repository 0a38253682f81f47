"""YAML files that are small and stand for very much, or for something without an end."""

LEVELS, REPEATS = 30, 9


def _doubling(first: str, level: str) -> str:
    """Each key repeats the one before several times."""
    lines = [f"key0: &a0 {first}"]
    for number in range(1, LEVELS):
        aliases = ", ".join([f"*a{number - 1}"] * REPEATS)
        lines.append(f"key{number}: &a{number} {level.format(aliases)}")
    return "\n".join(lines) + "\n"


REPEATED = {
    "lists of lists": _doubling("[x]", "[{}]"),
    "mappings of mappings": _doubling("{x: 1}", "{{inner: [{}]}}"),
    "merged mappings": _doubling("{x: 1}", "{{<<: [{}]}}"),
}
"""9^29 values, from aliases of aliases."""

WITHIN_ITSELF = {
    "a list in itself": "key: &a [*a]\n",
    "a mapping in itself": "key: &a\n  inner: *a\n",
    "a mapping merged with itself": "key: &a {<<: *a}\n",
    "a mapping that is its own key": "&a {? *a : 1}\n",
}
