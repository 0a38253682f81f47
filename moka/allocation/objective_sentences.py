"""What a plan reached of its objectives, as one says it to a colleague."""

from collections.abc import Callable

from moka.allocation.fleet import NodeWorth, Objective


def reached(objective: Objective) -> str:
    """What was reached, what cannot be reached, and what there is today."""
    match objective.name:
        case "moves":
            return _moves(objective)
        case "peak":
            return _comparison("The fullest cluster is {} full in its fullest hour", objective, _percent)
        case "balance":
            return _comparison("Over a day the fullest cluster is {} full on average", objective, _percent)
        case _:
            tier = objective.name.removeprefix("slack of ")
            if objective.value:
                return _comparison(
                    f"Workflows of {tier} lack {{}} a day of what they ask for", objective, _hours
                )
            before = _hours(objective.before)
            today = f"; today they lack {before} a day" if objective.before else ""
            return f"Workflows of {tier} lack nothing of what they ask for{today}."


def worth(node: NodeWorth) -> str:
    """What one more machine buys."""
    match node.objective:
        case "moves":
            return f"One more machine would spare {node.gain:.1f} workflows the move."
        case "peak":
            effect = (
                f"the fullest cluster {node.gain / 10:.2g} percentage points less full in its fullest hour"
            )
            return f"One more machine would make {effect}."
        case "balance":
            effect = f"the fullest cluster {node.gain / 10:.2g} percentage points less full over a day"
            return f"One more machine would make {effect}."
        case _:
            tier = node.objective.removeprefix("slack of ")
            gain = _hours(round(node.gain))
            return f"One more machine would give workflows of {tier} {gain} a day of what they lack."


def _comparison(sentence: str, objective: Objective, amount: Callable[[int], str]) -> str:
    value, bound, before = (amount(number) for number in (objective.value, objective.bound, objective.before))
    least = "that" if bound == value else bound
    today = "the same" if before == value else before
    return f"{sentence.format(value)}; no plan gets below {least}, and today it is {today}."


def _moves(objective: Objective) -> str:
    if not objective.value:
        return "No workflow goes to another cluster."
    number = "1 workflow goes" if objective.value == 1 else f"{objective.value} workflows go"
    fewer = "with fewer" if objective.bound == objective.value else f"with fewer than {objective.bound}"
    return f"{number} to another cluster; no plan that is as good otherwise gets by {fewer}."


def _percent(thousandths: int) -> str:
    return f"{thousandths / 10:g}%"


def _hours(thousandths: int) -> str:
    """Thousandths of machines, summed over hours."""
    return f"{thousandths / 1000:,.1f} machine-hours"
