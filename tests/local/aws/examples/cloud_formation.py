"""CloudFormation: an example of every type, and how it is changed by hand."""

from localcloud.engine import Resource
from tests.local.aws.examples.example import OTHER_TAGS, TAGS, Changes, Console, Example

TEMPLATE = """
AWSTemplateFormatVersion: '2010-09-09'
Outputs:
  NodeGroup: {{Value: !Ref NodeGroup}}
Resources:
  NodeGroup:
    Type: AWS::AutoScaling::AutoScalingGroup
    Properties:
      DesiredCapacity: 1
      MinSize: 1
      MaxSize: {most}
      LaunchTemplate: {{LaunchTemplateId: {template}, Version: '1'}}
      VPCZoneIdentifier: [{subnet}]
      Tags: [{{Key: Name, Value: worker, PropagateAtLaunch: 'true'}}]
"""


def template(world, most):
    return TEMPLATE.format(most=most, template=world.template, subnet=world.subnet)


EXAMPLES = [
    Example(
        "aws:cloudformation/stack:Stack",
        lambda w: {"name": "one-stack", "templateBody": template(w, 2), "tags": TAGS},
        lambda w: {"templateBody": template(w, 3), "tags": OTHER_TAGS},
        lambda w: {"name": "another-stack"},
    )
]


def change_template(console: Console, resource: Resource) -> None:
    body = resource.inputs["templateBody"].replace("MaxSize: 2", "MaxSize: 9")
    console.edit("cloudformation", "stack", "one-stack", TemplateBody=body)


CHANGES_BY_HAND: Changes = {"aws:cloudformation/stack:Stack": change_template}
