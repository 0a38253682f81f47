"""How an API server of EKS is entered: where EKS says that it is, by a presigned request to STS."""

import asyncio
import base64
import logging
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
        self._server = ""
        self._token = ""

    @property
    def server(self) -> str:
        """URL of the API server. Raises OSError until EKS has said it."""
        if not self._server:
            raise OSError(f"EKS has not said yet where the API server of {self._access.eks} is")
        return self._server

    @property
    def authority(self) -> Path:
        """Certificates that the API server's must come from; not there before `server` is."""
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
                self._token = await asyncio.to_thread(self._renew)
                pause = RENEW_SECONDS
            except Exception as error:
                # Whatever keeps AWS from giving credentials, the other clusters go on, and this one later.
                log.warning("no token for a cluster", extra=fields(cluster=self._name, error=error))
            await asyncio.sleep(pause)

    def _renew(self) -> str:
        """A new token, once it is known where the API server is: a cluster that was made anew has another."""
        session = self._session()
        cluster = session.client("eks").describe_cluster(name=self._access.eks)["cluster"]
        self._authority.write_bytes(base64.b64decode(cluster["certificateAuthority"]["data"]))
        self._server = cluster["endpoint"]
        return self._sign(session)

    def _session(self) -> boto3.Session:
        """In the role that the cluster knows."""
        keys = (
            boto3.client("sts", region_name=self._access.region)
            .assume_role(RoleArn=self._access.role, RoleSessionName=SESSION, DurationSeconds=3600)
            .get("Credentials", {})
        )
        return boto3.Session(
            aws_access_key_id=keys["AccessKeyId"],
            aws_secret_access_key=keys["SecretAccessKey"],
            aws_session_token=keys["SessionToken"],
            region_name=self._access.region,
        )

    def _sign(self, session: boto3.Session) -> str:
        """A presigned sts:GetCallerIdentity that names the cluster
        (https://github.com/kubernetes-sigs/aws-iam-authenticator#api-authorization-from-outside-a-cluster).
        """
        client = session.client("sts")
        credentials = session.get_credentials()
        assert credentials is not None, "the session was made of some"
        signer = RequestSigner(
            client.meta.service_model.service_id,
            self._access.region,
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
