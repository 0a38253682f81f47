"""Steps and previews for tests of reports, put together by hand."""

from collections.abc import Mapping
from typing import Any

from previews import Preview, State, Step


def state(type_: str, inputs: Mapping[str, Any] | None, **options: Any) -> State | None:
    return None if inputs is None else State(type=type_, inputs=inputs, **options)


def step(
    type_: str,
    name: str = "thing",
    old: Mapping[str, Any] | None = None,
    new: Mapping[str, Any] | None = None,
    op: str | None = None,
    **options: Any,
) -> Step:
    """A resource with these inputs before and after; the operation follows unless it is given."""
    changes = {key: options.pop(key) for key in ("changed", "forces") if key in options}
    before = {key.removeprefix("old_"): value for key, value in options.items() if not key.startswith("new_")}
    after = {key.removeprefix("new_"): value for key, value in options.items() if not key.startswith("old_")}
    follows = "create" if old is None else "delete" if new is None else "same" if old == new else "update"
    return Step(
        op=op or follows,  # type: ignore[arg-type]
        urn=f"urn:pulumi:prod::moka::{type_}::{name}",
        old=state(type_, old, **before),
        new=state(type_, new, **after),
        **changes,
    )


def preview(*steps: Step, **options: Any) -> Preview:
    return Preview(stack="prod", project="moka", steps=steps, packs={"moka": "1"}, **options)


def says(section: Any, weight: str | None = None) -> str:
    """The sentences of a section, one a line."""
    return "\n".join(finding.says for finding in section.findings if weight in (None, finding.weight))
