"""Instances of EC2, their key pairs, and their addresses. Nothing boots: an instance runs at once."""

import base64
from collections.abc import Iterator, Mapping
from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, P, Read, words
from localcloud.plugins.aws.tables._ec2 import arn, filters, tags_of

KEY_PAIR = Kind(
    service="ec2",
    schema="AWS::EC2::KeyPair",
    inputs="keyName keyNamePrefix publicKey!",
    outputs="arn fingerprint keyPairId keyType",
    create=Call("import_key_pair", {"PublicKeyMaterial": P("publicKey")}, other_inputs=True),
    id="KeyName",
    name=Name("keyName", prefix="keyNamePrefix"),
    names={"fingerprint": "KeyFingerprint"},
    arguments=words("keyNamePrefix"),
    write_only=words("publicKey"),
    schema_names={"publicKey": "PublicKeyMaterial"},
    reads=(Read(Call("describe_key_pairs", {"KeyNames": [ID]}), at="KeyPairs[0]"),),
    delete=(Call("delete_key_pair", {"KeyName": ID}),),
    tags=tags_of("key-pair", P("keyPairId")),
    derived=arn("key-pair"),
)

IN_INTERFACE = {"SubnetId": "SubnetId", "SecurityGroupIds": "Groups", "PrivateIpAddress": "PrivateIpAddress"}
"""Member of an instance -> member of its interface, where it says whether it has a public address."""

SENT = Call(
    "run_instances",
    {
        "MinCount": 1,
        "MaxCount": 1,
        "Placement": {"AvailabilityZone": P("availabilityZone"), "Tenancy": P("tenancy")},
        "IamInstanceProfile": {"Name": P("iamInstanceProfile")},
        "Monitoring": {"Enabled": P("monitoring")},
    },
    other_inputs=True,
)

VOLUME = {"volumeSize": "Size", "volumeType": "VolumeType", "iops": "Iops", "throughput": "Throughput"}
"""Of a root volume, what can change in place.

https://docs.aws.amazon.com/ebs/latest/userguide/ebs-modify-volume.html
"""

FIXED = {"encrypted": "Encrypted", "kmsKeyId": "KmsKeyId", "deleteOnTermination": "DeleteOnTermination"}

DISK = {**VOLUME, **FIXED}

DISK_OF_IMAGE = {**DISK, "volumeSize": "VolumeSize"}
"""The same where an instance is launched."""


def user_data(inputs: Mapping[str, Any]) -> Any:
    """The program's user data; boto3 encodes them for the call."""
    base64_text = inputs.get("userDataBase64")
    return base64.b64decode(base64_text) if isinstance(base64_text, str) else inputs.get("userData")


def launch_calls(subject: Subject) -> Iterator[tuple[str, dict[str, Any]]]:
    """The call that launches it, as the provider makes it (buildInstanceOpts in ec2_instance.go)."""
    members = subject.members(SENT)
    if data := user_data(subject.inputs):
        members["UserData"] = data
    if disk := subject.inputs.get("rootBlockDevice"):
        device = _root_device(subject, members.get("ImageId"))
        members["BlockDeviceMappings"] = [{"DeviceName": device, "Ebs": _disk(disk, DISK_OF_IMAGE)}]
    public = subject.inputs.get("associatePublicIpAddress")
    if public is not None and "SubnetId" in members:
        interface = {IN_INTERFACE[name]: members.pop(name) for name in IN_INTERFACE if name in members}
        interface |= {"DeviceIndex": 0, "AssociatePublicIpAddress": public}
        members["NetworkInterfaces"] = [interface]
    yield "run_instances", members


def _disk(disk: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {member: disk[name] for name, member in names.items() if disk.get(name) is not None}


def _root_device(subject: Subject, image: Any) -> str:
    """The root device of an image; of one that is not known here, the usual one."""
    ids = filters({"image-id": image}) if isinstance(image, str) else []
    images = subject.request("describe_images", Filters=ids)["Images"] if ids else []
    return str(images[0]["RootDeviceName"]) if images else "/dev/xvda"


def launch(subject: Subject) -> str:
    """Launch it."""
    [(_, members)] = launch_calls(subject)
    subject.sent |= {"userDataBase64", "rootBlockDevice"}
    answer = subject.create(Call("run_instances"), members)
    return str(answer["Instances"][0]["InstanceId"])


ALIVE = {"Name": "instance-state-name", "Values": ["pending", "running", "stopping", "stopped"]}
"""A terminated instance is shown for an hour."""

SHOWN = {
    "ami": "ImageId",
    "instanceType": "InstanceType",
    "subnetId": "SubnetId",
    "keyName": "KeyName",
    "privateIp": "PrivateIpAddress",
    "privateDns": "PrivateDnsName",
    "publicIp": "PublicIpAddress",
    "publicDns": "PublicDnsName",
    "sourceDestCheck": "SourceDestCheck",
    "ebsOptimized": "EbsOptimized",
}


def read_instance(subject: Subject) -> dict[str, Any] | None:
    """An instance that is not terminated."""
    reservations = subject.request("describe_instances", InstanceIds=[subject.id], Filters=[ALIVE])[
        "Reservations"
    ]
    if not reservations:
        return None
    description = reservations[0]["Instances"][0]
    groups = [group["GroupId"] for group in description.get("SecurityGroups", ())]
    interfaces = description.get("NetworkInterfaces") or [{}]
    options = subject.extract(
        "describe_instances", {"Reservations": reservations}, "Reservations[0].Instances[0]"
    )
    return {
        **{
            name: description[member] for name, member in SHOWN.items() if description.get(member) is not None
        },
        "availabilityZone": description["Placement"]["AvailabilityZone"],
        "tenancy": description["Placement"].get("Tenancy") or "default",
        "instanceState": description["State"]["Name"],
        "monitoring": description.get("Monitoring", {}).get("State") == "enabled",
        "iamInstanceProfile": description.get("IamInstanceProfile", {}).get("Arn", "").rpartition("/")[2]
        or None,
        "primaryNetworkInterfaceId": interfaces[0].get("NetworkInterfaceId"),
        "vpcSecurityGroupIds": groups,
        "metadataOptions": {
            name: value for name, value in (options.get("metadataOptions") or {}).items() if name in METADATA
        },
        "disableApiTermination": _attribute(subject, "disableApiTermination")["Value"],
        "tagsAll": options.get("tagsAll", {}),
    }


METADATA = words("httpEndpoint httpTokens httpPutResponseHopLimit httpProtocolIpv6 instanceMetadataTags")


def _attribute(subject: Subject, name: str) -> Any:
    answer = subject.request("describe_instance_attribute", InstanceId=subject.id, Attribute=name)
    return answer[name[0].upper() + name[1:]]


def read_root(subject: Subject) -> dict[str, Any]:
    """The root volume of an instance."""
    instance_filter = filters({"attachment.instance-id": subject.id})
    volumes = subject.request("describe_volumes", Filters=instance_filter)["Volumes"]
    if not volumes:
        return {}
    volume = volumes[0]
    attachment = volume["Attachments"][0]
    disk = {name: volume[member] for name, member in DISK.items() if volume.get(member) is not None}
    disk |= {"volumeId": volume["VolumeId"], "deviceName": attachment["Device"]}
    return {"rootBlockDevice": disk | {"deleteOnTermination": attachment.get("DeleteOnTermination", True)}}


def while_stopped(*changes: Call) -> Any:
    """Changes for which EC2 wants an instance stopped, as the provider stops and starts it."""

    def step(subject: Subject) -> None:
        subject.request("stop_instances", InstanceIds=[subject.id])
        for change in changes:
            subject.call(change)
        subject.request("start_instances", InstanceIds=[subject.id])

    return step


def attribute(name: str, member: str) -> Call:
    """Change an attribute of an instance."""
    return Call("modify_instance_attribute", {"InstanceId": ID, member: {"Value": P(name)}})


def change_user_data(subject: Subject) -> None:
    """Give it other user data, which it reads at its next boot."""
    subject.request("stop_instances", InstanceIds=[subject.id])
    data = user_data(subject.inputs) or ""
    raw = data if isinstance(data, bytes) else data.encode()
    # moto wants them encoded twice: by boto3, and before.
    attribute = {"Value": base64.b64encode(raw)}
    subject.request("modify_instance_attribute", InstanceId=subject.id, UserData=attribute)
    subject.request("start_instances", InstanceIds=[subject.id])


def change_root(subject: Subject) -> None:
    """Change the root volume in place."""
    disk = _disk(subject.inputs.get("rootBlockDevice") or {}, VOLUME)
    if disk:
        volume = read_root(subject)["rootBlockDevice"]["volumeId"]
        subject.request("modify_volume", VolumeId=volume, **disk)


def change_profile(subject: Subject) -> None:
    """Give it another instance profile, or none."""
    instance_filter = filters({"instance-id": subject.id})
    answer = subject.request("describe_iam_instance_profile_associations", Filters=instance_filter)
    for association in answer["IamInstanceProfileAssociations"]:
        subject.request("disassociate_iam_instance_profile", AssociationId=association["AssociationId"])
    if name := subject.inputs.get("iamInstanceProfile"):
        profile = {"Name": name}
        subject.request("associate_iam_instance_profile", InstanceId=subject.id, IamInstanceProfile=profile)


METADATA_CALL = Call("modify_instance_metadata_options", {"InstanceId": ID})


def change_metadata(subject: Subject) -> None:
    """Change how the instance's metadata are read."""
    options = subject.inputs.get("metadataOptions") or {}
    members = {name[0].upper() + name[1:]: value for name, value in options.items()}
    subject.call(METADATA_CALL, members)


INSTANCE = Kind(
    service="ec2",
    schema="AWS::EC2::Instance",
    inputs="ami instanceType subnetId availabilityZone keyName vpcSecurityGroupIds securityGroups "
    "iamInstanceProfile userData userDataBase64 userDataReplaceOnChange associatePublicIpAddress privateIp "
    "disableApiTermination sourceDestCheck ebsOptimized monitoring tenancy metadataOptions rootBlockDevice",
    outputs="arn instanceState primaryNetworkInterfaceId privateDns publicDns publicIp",
    create=launch,
    calls=launch_calls,
    id="",
    names={"ami": "ImageId", "vpcSecurityGroupIds": "SecurityGroupIds", "privateIp": "PrivateIpAddress"},
    defaults={"sourceDestCheck": True, "userDataReplaceOnChange": False},
    fixed={"getPasswordData": False, "hibernation": False, "disableApiStop": False, "forceDestroy": False},
    arguments=words("userDataReplaceOnChange"),
    write_only=words("userData userDataBase64 associatePublicIpAddress securityGroups"),
    computed=words(
        "ami instanceType subnetId availabilityZone keyName vpcSecurityGroupIds securityGroups privateIp "
        "iamInstanceProfile disableApiTermination ebsOptimized monitoring tenancy metadataOptions "
        "rootBlockDevice associatePublicIpAddress"
    ),
    unordered=words("vpcSecurityGroupIds securityGroups"),
    replaced_if={"userData": "userDataReplaceOnChange", "userDataBase64": "userDataReplaceOnChange"},
    reads=(Read(read_instance), Read(read_root)),
    changes=(
        Change(("instanceType",), while_stopped(attribute("instanceType", "InstanceType"))),
        Change(("ebsOptimized",), while_stopped(attribute("ebsOptimized", "EbsOptimized"))),
        Change(("userData", "userDataBase64"), change_user_data),
        Change(("sourceDestCheck",), attribute("sourceDestCheck", "SourceDestCheck")),
        Change(("disableApiTermination",), attribute("disableApiTermination", "DisableApiTermination")),
        Change(
            ("vpcSecurityGroupIds",),
            Call("modify_instance_attribute", {"InstanceId": ID, "Groups": P("vpcSecurityGroupIds")}),
        ),
        Change(("iamInstanceProfile",), change_profile),
        Change(("metadataOptions",), change_metadata),
        Change(("rootBlockDevice",), change_root),
    ),
    delete=(Call("terminate_instances", {"InstanceIds": [ID]}),),
    tags=tags_of("instance"),
    derived=arn("instance"),
    schema_names={
        "ami": "ImageId",
        "privateIp": "PrivateIpAddress",
        "vpcSecurityGroupIds": "SecurityGroupIds",
    },
)


def read_address(subject: Subject) -> dict[str, Any] | None:
    """An address that something has."""
    association_filter = filters({"association-id": subject.id})
    addresses = subject.request("describe_addresses", Filters=association_filter)["Addresses"]
    if not addresses:
        return None
    answer = {"Addresses": addresses}
    return {
        **subject.extract("describe_addresses", answer, "Addresses[0]"),
        "publicIp": addresses[0]["PublicIp"],
    }


ADDRESS_ASSOCIATION = Kind(
    service="ec2",
    schema="AWS::EC2::EIPAssociation",
    inputs="allocationId instanceId networkInterfaceId privateIpAddress publicIp allowReassociation",
    create=Call("associate_address", other_inputs=True),
    id="AssociationId",
    arguments=words("allowReassociation"),
    computed=words("allocationId instanceId networkInterfaceId privateIpAddress publicIp"),
    reads=(Read(read_address),),
    delete=(Call("disassociate_address", {"AssociationId": ID}),),
    schema_names={"publicIp": "EIP"},
    exclusive=True,
)

TYPES = {
    "aws:ec2/keyPair:KeyPair": KEY_PAIR,
    "aws:ec2/instance:Instance": INSTANCE,
    "aws:ec2/eipAssociation:EipAssociation": ADDRESS_ASSOCIATION,
}
