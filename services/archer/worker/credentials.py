"""Tokens by which an API server is entered: presigned requests to STS, as `aws eks get-token` makes them."""

import asyncio
import base64
import logging
import time
from pathlib import Path

import boto3
from botocore.signers import RequestSigner

from moka.submission.configuration import ClusterAccess
from services.common.logs import fields

RENEW_SECONDS = 600.0
"""EKS takes a token for 15 minutes after it was signed (kubernetes-sigs/aws-iam-authenticator, pkg/token)."""

SESSION = "archer"

log = logging.getLogger(__name__)


class EksCredentials:
    """Credentials of a cluster, with a token that is always fresh while `run` runs.

    folder: for the certificates of its API server.
    """

    def __init__(self, name: str, access: ClusterAccess, folder: Path) -> None:
        self._name = name
        self._access = access
        self._authority = folder / f"{name}.crt"
        self._authority.write_text(access.authority)
        self._token = ""
        self._signed = float("-inf")

    @property
    def server(self) -> str:
        """URL of the API server."""
        return self._access.server

    @property
    def authority(self) -> Path:
        """Certificates that the API server's must come from."""
        return self._authority

    @property
    def token(self) -> str:
        """The token; empty until one could be signed."""
        return self._token

    async def run(self) -> None:
        """Sign for ever."""
        while True:
            pause = 30.0
            try:
                self._token = await asyncio.to_thread(self._sign)
                self._signed, pause = time.monotonic(), RENEW_SECONDS
            except Exception as error:
                # Whatever keeps AWS from giving credentials, the other clusters go on, and this one later.
                log.warning("no token for a cluster", extra=fields(cluster=self._name, error=error))
            await asyncio.sleep(pause)

    def _sign(self) -> str:
        """A presigned sts:GetCallerIdentity that names the cluster
        (https://github.com/kubernetes-sigs/aws-iam-authenticator#api-authorization-from-outside-a-cluster).
        """
        session = boto3.Session(region_name=self._access.region)
        if self._access.role:
            keys = session.client("sts").assume_role(
                RoleArn=self._access.role, RoleSessionName=SESSION, DurationSeconds=3600
            )["Credentials"]
            session = boto3.Session(
                aws_access_key_id=keys["AccessKeyId"],
                aws_secret_access_key=keys["SecretAccessKey"],
                aws_session_token=keys["SessionToken"],
                region_name=self._access.region,
            )
        client = session.client("sts")
        credentials = session.get_credentials()
        if credentials is None:
            raise RuntimeError("the pod has no identity in AWS: look at its Pod Identity association")
        signer = RequestSigner(
            client.meta.service_model.service_id,
            self._access.region or "",
            "sts",
            "v4",
            credentials,
            session.events,
        )
        request = {
            "method": "GET",
            "url": f"{client.meta.endpoint_url}/?Action=GetCallerIdentity&Version=2011-06-15",
            "body": {},
            "headers": {"x-k8s-aws-id": self._access.eks},
            "context": {},
        }
        url = signer.generate_presigned_url(
            request, region_name=self._access.region, expires_in=60, operation_name=""
        )
        return "k8s-aws-v1." + base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")
