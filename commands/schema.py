"""`moka schema`: what is generated from the models of settings, queues and jobs."""

from stacks.generated_files import generated_files


def schema() -> None:
    """Generate JSON Schemas and pages of docs/ (settings, layers, policies) from the models.

    The schemas are those of settings, queues and jobs, by which an editor completes and checks such files.
    """
    for path, text in generated_files().items():
        path.write_text(text)
