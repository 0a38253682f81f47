"""What a cloud prints of itself."""

from localcloud.report import MOST_LINES, condensed


def test_a_reason_that_many_resources_have_is_said_once():
    lines = list(
        condensed(["group a: EKS refuses this: x: do y.", "group b: EKS refuses this: x: do y.", "c: z."])
    )

    assert lines == ["group a and 1 more: EKS refuses this: x: do y.", "c: z."]


def test_of_very_many_reasons_the_first_are_said_and_how_many_more_there_are():
    lines = list(condensed(f"group: reason {number}." for number in range(MOST_LINES + 7)))

    assert len(lines) == MOST_LINES + 1
    assert lines[0] == "group: reason 0."
    assert lines[-1].startswith("and 7 reasons more")
