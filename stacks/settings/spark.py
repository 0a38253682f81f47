"""Settings of the Spark Operator and of the namespaces in which jobs run."""

from stacks.settings.section import Section


class JobNamespace(Section):
    """A namespace in which Spark jobs run."""


class Spark(Section):
    """How Spark applications are run."""
