"""Configurations of EKS add-ons, against the schemas of theirs that are published."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from aws_rules.rule import Rule
from aws_rules.values.request import Request, ValueVerdict, words

RULE = Rule(
    name="add-on-configurations",
    authority="EKS",
    decides="which configuration an add-on takes",
    source="https://docs.aws.amazon.com/cli/latest/reference/eks/describe-addon-configuration.html",
)

RULES = (RULE,)

_REFUSAL = (
    "ConfigurationValue provided in request is not supported: Json schema validation failed with error: "
    "[{place}: {type} found, {expected} expected]"
)
"""EKS's words: awsdocs/amazon-eks-user-guide#772, cookpad/terraform-aws-eks#331."""

Schema = Mapping[str, Any]
"""Name of a property -> its type, or a schema of its own; `*` stands for every name."""

_RESOURCES = {"limits": {"*": "string"}, "requests": {"*": "string"}}

_CNI_VARIABLES = words(
    "ADDITIONAL_ENI_TAGS ANNOTATE_POD_IP AWS_EC2_ENDPOINT AWS_EXTERNAL_SERVICE_CIDRS "
    "AWS_MANAGE_ENIS_NON_SCHEDULABLE AWS_VPC_CNI_NODE_PORT_SUPPORT AWS_VPC_ENI_MTU "
    "AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG AWS_VPC_K8S_CNI_EXCLUDE_SNAT_CIDRS AWS_VPC_K8S_CNI_EXTERNALSNAT "
    "AWS_VPC_K8S_CNI_LOGLEVEL AWS_VPC_K8S_CNI_LOG_FILE AWS_VPC_K8S_CNI_RANDOMIZESNAT "
    "AWS_VPC_K8S_CNI_VETHPREFIX AWS_VPC_K8S_PLUGIN_LOG_FILE AWS_VPC_K8S_PLUGIN_LOG_LEVEL CLUSTER_ENDPOINT "
    "DISABLE_INTROSPECTION DISABLE_LEAKED_ENI_CLEANUP DISABLE_METRICS DISABLE_NETWORK_RESOURCE_PROVISIONING "
    "DISABLE_POD_V6 ENABLE_BANDWIDTH_PLUGIN ENABLE_POD_ENI ENABLE_PREFIX_DELEGATION ENABLE_V4_EGRESS "
    "ENABLE_V6_EGRESS ENI_CONFIG_ANNOTATION_DEF ENI_CONFIG_LABEL_DEF INTROSPECTION_BIND_ADDRESS "
    "IP_COOLDOWN_PERIOD MAX_ENI MINIMUM_IP_TARGET POD_SECURITY_GROUP_ENFORCING_MODE WARM_ENI_TARGET "
    "WARM_IP_TARGET WARM_PREFIX_TARGET"
)

# What newer versions take besides is not known here. Sources: of the rule (vpc-cni v1.15.1, coredns v1.8.7);
# aws-ia/terraform-aws-eks-blueprints-addons: docs/amazon-eks-addons.md (coredns v1.11.1); kubernetes-sigs/
# aws-ebs-csi-driver: charts/aws-ebs-csi-driver/values.yaml; aws/eks-pod-identity-agent: charts/
# eks-pod-identity-agent/values.yaml.
SCHEMAS: Mapping[str, Schema] = {
    "vpc-cni": {
        "affinity": "object",
        "enableNetworkPolicy": "string",
        "enableWindowsIpam": "string",
        "eniConfig": {"create": "boolean", "region": "string", "subnets": {"*": {"id": "string"}}},
        "env": dict.fromkeys(_CNI_VARIABLES, "string"),
        "init": {"env": {"DISABLE_TCP_EARLY_DEMUX": "string", "ENABLE_V6_EGRESS": "string"}},
        "livenessProbeTimeoutSeconds": "integer",
        "nodeAgent": {
            "enableCloudWatchLogs": "string",
            "enablePolicyEventLogs": "string",
            "healthProbeBindAddr": "string",
            "metricsBindAddr": "string",
        },
        "readinessProbeTimeoutSeconds": "integer",
        "resources": _RESOURCES,
        "tolerations": "array",
    },
    "coredns": {
        "affinity": "object",
        "autoScaling": {"enabled": "boolean", "minReplicas": "integer", "maxReplicas": "integer"},
        "computeType": "string",
        "corefile": "string",
        "nodeSelector": {"*": "string"},
        "podAnnotations": "object",
        "podDisruptionBudget": "object",
        "podLabels": "object",
        "replicaCount": "integer",
        "resources": _RESOURCES,
        "tolerations": "array",
        "topologySpreadConstraints": "array",
    },
    "aws-ebs-csi-driver": {
        "controller": {"nodeSelector": {"*": "string"}, "replicaCount": "integer", "tolerations": "array"},
        "node": {"nodeSelector": {"*": "string"}, "tolerateAllTaints": "boolean", "tolerations": "array"},
    },
    "eks-pod-identity-agent": {"affinity": "object", "resources": _RESOURCES, "tolerations": "array"},
    "kube-proxy": {"resources": _RESOURCES},
}
"""Add-on -> its schema."""

TYPES = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    (list, "array"),
    (dict, "object"),
)
"""Python's types, the narrower first -> JSON's."""


def configuration(request: Request) -> Iterator[ValueVerdict]:
    """The configuration of an add-on that is made or changed."""
    name, text = request.value_at("addonName"), request.value_at("configurationValues")
    if not isinstance(text, str) or not text:
        return
    path = ("configurationValues",)
    try:
        values = json.loads(text)
    except ValueError:
        if text.lstrip().startswith(("{", "[")):
            message = "ConfigurationValue provided in request is not supported: it is neither JSON nor YAML"
            yield request.misfit(RULE, path, "InvalidParameterException", message, "write a JSON object")
        else:
            yield request.gap(RULE, "a configuration that is written in YAML")
        return
    schema = SCHEMAS.get(str(name))
    if schema is None and isinstance(values, dict):
        yield request.gap(RULE, f"the schema of add-on {name}")
        return
    for place, value, expected in _misfits("$", values, schema or {}):
        if expected is None:
            yield request.gap(RULE, f"{place} of the configuration of add-on {name}")
            continue
        message = _REFUSAL.format(place=place, type=_type(value), expected=expected)
        remedy = f"correct it as `aws eks describe-addon-configuration --addon-name {name}` has it"
        yield request.misfit(RULE, path, "InvalidParameterException", message, remedy)


def _misfits(place: str, value: Any, schema: Schema | str) -> Iterator[tuple[str, Any, str | None]]:
    """Place, value and type of what does not fit; no type for what the schema does not have."""
    expected = schema if isinstance(schema, str) else "object"
    if _type(value) != expected:
        yield place, value, expected
    elif not isinstance(schema, str):
        for name, item in value.items():
            inner = schema.get(name, schema.get("*"))
            if inner is None:
                yield f"{place}.{name}", item, None
            else:
                yield from _misfits(f"{place}.{name}", item, inner)


def _type(value: Any) -> str:
    return next((name for kind, name in TYPES if isinstance(value, kind)), "null")
