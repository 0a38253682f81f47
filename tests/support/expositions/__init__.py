"""Pages of metrics that programs gave, and what is on them."""

from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

FOLDER = Path(__file__).resolve().parent


def samples(name):
    """(metric, labels, value) of a page, without what says of which kind a metric is."""
    text = (FOLDER / f"{name}.prom").read_text()
    return [
        (sample.name, dict(sample.labels), sample.value)
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    ]
