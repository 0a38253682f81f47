"""What docs/package.md shows of components in programs of others."""

from tests.support.documented import program


def test_its_program_makes_a_network(deploy):
    recorder = deploy(lambda: exec(program("docs/package.md", "## Components in a program of yours"), {}))

    [vpc] = recorder.inputs("aws:ec2/vpc:Vpc")
    assert vpc["cidrBlock"] == "10.0.0.0/16"
