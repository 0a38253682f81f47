"""User data of machines: parts of a MIME document, some of which nodeadm reads (awslabs/amazon-eks-ami)."""

import email
from collections.abc import Iterator

NODE_CONFIG = "application/node.eks.aws"
"""Type of a part that nodeadm reads."""


def multipart(text: str) -> bool:
    """Whether user data is a MIME document of several parts."""
    return email.message_from_string(text.lstrip()).is_multipart()


def node_configs(text: str) -> Iterator[str]:
    """The NodeConfigs of user data, as YAML: all of it, or those parts of a MIME document."""
    if text.lstrip().startswith(("apiVersion:", "---")):
        yield text
        return
    for part in email.message_from_string(text).walk():
        if part.get_content_type() == NODE_CONFIG:
            payload = part.get_payload(decode=True)
            yield payload.decode() if isinstance(payload, bytes) else ""
