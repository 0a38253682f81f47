"""What the recorder asks of S3: it has the rights to that and no others."""

import pytest
from botocore.exceptions import ClientError
from botocore.stub import Stubber

from services.usage_recorder.bucket import Bucket

MIB = 1 << 20


@pytest.fixture
def bucket(s3):
    s3.create_bucket(Bucket="parts")
    return Bucket(s3, "parts")


def test_an_object_of_any_size_is_written_and_copied_in_one_request(s3, bucket, tmp_path):
    """boto3's `upload_file` and `copy` go over to parts at 8 MiB (boto3.s3.transfer.TransferConfig)."""
    asked = []
    s3.meta.events.register("before-call.s3", lambda model, **_: asked.append(model.name))
    file = tmp_path / "large"
    file.write_bytes(bytes(20 * MIB))

    bucket.put("staged", file)
    bucket.copy("staged", "joined")
    bucket.put_over("ledger", file.read_bytes(), None)

    assert asked == ["PutObject", "CopyObject", "PutObject"]
    assert {one.size for one in bucket.objects("")} == {20 * MIB}


def test_a_write_that_meets_another_one_is_a_failure_that_is_repeated_and_no_sign_of_another_recorder(s3):
    with Stubber(s3) as stub:
        stub.add_client_error("put_object", "ConditionalRequestConflict", http_status_code=409)
        with pytest.raises(ClientError, match="ConditionalRequestConflict"):
            Bucket(s3, "parts").put_over("ledger", b"", None)
