"""`eks.VpcCniAddon`: the VPC CNI add-on, with its settings as environment variables of its containers."""

from collections.abc import Mapping
from typing import Any, ClassVar

import pulumi
import pulumi_aws as aws

from localcloud.errors import Refusal
from localcloud.plugins.components.component import Component
from localcloud.plugins.eks.arguments import VPC_CNI_ADDON
from localcloud.plugins.eks.configuration import OVERWRITE, configuration_json

# Setting -> environment variable and its default (None: it is left out without the setting).
ENVIRONMENT: dict[str, tuple[str, str | None]] = {
    "nodePortSupport": ("AWS_VPC_CNI_NODE_PORT_SUPPORT", None),
    "customNetworkConfig": ("AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG", None),
    "warmEniTarget": ("WARM_ENI_TARGET", "1"),
    "warmIpTarget": ("WARM_IP_TARGET", None),
    "warmPrefixTarget": ("WARM_PREFIX_TARGET", None),
    "enablePrefixDelegation": ("ENABLE_PREFIX_DELEGATION", None),
    "logLevel": ("AWS_VPC_K8S_CNI_LOGLEVEL", "DEBUG"),
    "logFile": ("AWS_VPC_K8S_CNI_LOG_FILE", "/host/var/log/aws-routed-eni/ipamd.log"),
    "vethPrefix": ("AWS_VPC_K8S_CNI_VETHPREFIX", "eni"),
    "eniMtu": ("AWS_VPC_ENI_MTU", "9001"),
    "eniConfigLabelDef": ("ENI_CONFIG_LABEL_DEF", None),
    "pluginLogLevel": ("AWS_VPC_K8S_PLUGIN_LOG_LEVEL", "DEBUG"),
    "pluginLogFile": ("AWS_VPC_K8S_PLUGIN_LOG_FILE", "/var/log/aws-routed-eni/plugin.log"),
    "enablePodEni": ("ENABLE_POD_ENI", "false"),
    "cniConfigureRpfilter": ("AWS_VPC_K8S_CNI_CONFIGURE_RPFILTER", None),
    # It comes after customNetworkConfig and, as in the real component, overrides it even by its default.
    "cniCustomNetworkCfg": ("AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG", "false"),
}
INIT_ENVIRONMENT: dict[str, tuple[str, str | None]] = {
    "disableTcpEarlyDemux": ("DISABLE_TCP_EARLY_DEMUX", "false"),
}
# Two names of one setting, never both.
EXTERNAL_SNAT = ("externalSnat", "cniExternalSnat")


class VpcCniAddon(Component):
    """Pulumi type `eks:index:VpcCniAddon`: eks.Addon of the same name."""

    TYPE: ClassVar[str] = "eks:index:VpcCniAddon"
    ARGUMENTS = VPC_CNI_ADDON

    def __init__(self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None) -> None:
        super().__init__(name, inputs, opts)
        version = inputs.get("addonVersion")
        if version is None:
            if "clusterVersion" not in inputs:
                raise Refusal(
                    f"eks.VpcCniAddon {name}: addonVersion and clusterVersion are both missing: set one."
                )
            version = latest("vpc-cni", inputs["clusterVersion"], self)

        settings = {
            key: value for key, value in inputs.items() if key not in ("clusterName", "clusterVersion")
        }
        addon = aws.eks.Addon(
            name,
            cluster_name=inputs["clusterName"],
            addon_name="vpc-cni",
            addon_version=version,
            resolve_conflicts_on_create=inputs.get("resolveConflictsOnCreate", OVERWRITE),
            resolve_conflicts_on_update=inputs.get("resolveConflictsOnUpdate", OVERWRITE),
            preserve=True,
            configuration_values=configuration_json(pulumi.Output.from_input(settings).apply(configuration)),
            service_account_role_arn=inputs.get("serviceAccountRoleArn"),
            tags=inputs.get("tags"),
            opts=self.child,
        )
        # No outputs for the program: no SDK reads them.
        self.outputs = {}
        self.register_outputs({"addon": addon})


def latest(addon: str, kubernetes_version: pulumi.Input[str], parent: pulumi.Resource) -> pulumi.Output[str]:
    """The newest version of an add-on for a Kubernetes version."""
    result = aws.eks.get_addon_version_output(
        addon_name=addon,
        kubernetes_version=kubernetes_version,
        most_recent=True,
        opts=pulumi.InvokeOutputOptions(parent=parent),
    )
    return result.version


def configuration(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Configuration of the add-on: the settings as environment, and over them `configurationValues`."""
    if all(settings.get(name) for name in EXTERNAL_SNAT):
        raise Refusal("eks.VpcCniAddon: externalSnat and cniExternalSnat mean the same: set one of them.")
    snat = any(settings.get(name) for name in EXTERNAL_SNAT)
    env = _environment(settings, ENVIRONMENT) | {"AWS_VPC_K8S_CNI_EXTERNALSNAT": _text(snat)}
    init_env = _environment(settings, INIT_ENVIRONMENT)

    values = dict(settings.get("configurationValues") or {})
    if settings.get("enableNetworkPolicy") is not None:
        values.setdefault("enableNetworkPolicy", _text(settings["enableNetworkPolicy"]))
    init = values.get("init") if isinstance(values.get("init"), Mapping) else {}
    assert isinstance(init, Mapping)
    return {
        **values,
        "env": {**env, **(values.get("env") or {})},
        "init": {**init, "env": {**init_env, **(init.get("env") or {})}},
    }


def _environment(settings: Mapping[str, Any], table: Mapping[str, tuple[str, str | None]]) -> dict[str, str]:
    variables: dict[str, str] = {}
    for setting, (variable, default) in table.items():
        value = settings.get(setting)
        # To the real component a false or zero is the same as none, but for this one number.
        present = value is not None if setting == "warmEniTarget" else bool(value)
        if present:
            variables[variable] = _text(value)
        elif default is not None:
            variables[variable] = default
    return variables


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    # Numbers come over the wire as floats.
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
