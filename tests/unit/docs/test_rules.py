"""The page of the laptop cloud has every rule, so that a reader sees what a green run means."""

from pathlib import Path

from aws_rules import catalog
from aws_rules.rule import Rule

PAGE = Path("docs/laptop-cloud.md").read_text()


def test_the_page_lists_every_rule_with_its_source():
    assert catalog.table() in PAGE, "write what `python -m localcloud rules` prints into docs/laptop-cloud.md"


def test_each_rule_has_a_name_of_its_own():
    names = [rule.name for rule in catalog.RULES]

    assert sorted(set(names)) == sorted(names)


def test_each_rule_says_what_it_decides_and_where_that_is_written():
    def complete(rule: Rule) -> bool:
        return rule.decides.split()[0] in ("whether", "what", "how", "when", "which", "who") and (
            rule.source.startswith("https://") or ": " in rule.source or "#" in rule.source
        )

    assert [rule.name for rule in catalog.RULES if not complete(rule)] == []
