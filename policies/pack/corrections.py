"""What a rule that corrects would change in a resource's inputs, as the engine has them.

There, what is secret is a mapping with a mark (pack/marks.py), and what is not known a text: the first keeps
its mark, the second stays as it is.
"""

from collections.abc import Mapping
from typing import Any

from policies.pack.marks import CONTENT, SIGNATURE, UNKNOWNS
from policies.pack.resource import Inputs
from policies.pack.rule import Correction, Parameters


def setting(**fields: Any) -> Correction:
    """A correction that sets inputs. fields: name -> value, or mapping of what to set within that input."""

    def correct(inputs: Inputs, _: Parameters) -> Inputs:
        correction: Inputs = _with(inputs, fields)
        return correction

    return correct


def without(*names: str) -> Correction:
    """A correction that leaves inputs out."""

    def correct(inputs: Inputs, _: Parameters) -> Inputs:
        return {name: value for name, value in inputs.items() if name not in names}

    return correct


def _with(value: Any, change: Any) -> Any:
    if isinstance(value, Mapping) and SIGNATURE in value:
        return {**value, CONTENT: _with(value.get(CONTENT), change)}
    if isinstance(value, str) and value in UNKNOWNS:
        return value
    if not isinstance(change, Mapping):
        return change
    value = value if isinstance(value, Mapping) else {}
    return {**value, **{name: _with(value.get(name), part) for name, part in change.items()}}
