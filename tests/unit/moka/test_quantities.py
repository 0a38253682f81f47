import pytest

from moka.quantities import (
    canonical,
    cores_text,
    cpu_quantity,
    duration_seconds,
    gib_text,
    mebibytes,
    memory_bytes,
    memory_quantity,
    millicores,
    spark_mebibytes,
)


@pytest.mark.parametrize(
    ("quantity", "thousandths"), [("4", 4000), ("500m", 500), ("1.5", 1500), ("2k", 2_000_000), ("0", 0)]
)
def test_cores_are_read_as_kubernetes_reads_them(quantity, thousandths):
    assert millicores(quantity) == thousandths


@pytest.mark.parametrize(
    ("quantity", "size"), [("512Mi", 2**29), ("1.5Gi", 3 * 2**29), ("1T", 10**12), ("1024", 1024)]
)
def test_memory_is_read_as_kubernetes_reads_it(quantity, size):
    assert memory_bytes(quantity) == size
    assert mebibytes(quantity) == size // 2**20


@pytest.mark.parametrize("text", ["", "4 cores", "-1", "1,5", "64GiB", "m"])
def test_what_is_no_quantity_is_refused(text):
    with pytest.raises(ValueError, match="is no quantity such as 4, 500m or 64Gi"):
        millicores(text)


@pytest.mark.parametrize(("amount", "mib"), [("8g", 8192), ("8Gi", 8192), ("512m", 512), ("1t", 2**20)])
def test_a_job_may_write_memory_as_spark_or_as_kubernetes_does(amount, mib):
    assert spark_mebibytes(amount) == mib


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("10000", "10k"),
        ("2000000", "2M"),
        ("10500", "10500"),
        ("64", "64"),
        ("2048Gi", "2Ti"),
        ("1536Gi", "1536Gi"),
        ("1Ti", "1Ti"),
        ("1024Mi", "1Gi"),
        ("512Mi", "512Mi"),
        ("500m", "500m"),
        ("2000m", "2"),
        ("2000000m", "2k"),
        ("0", "0"),
    ],
)
def test_quantities_are_written_as_the_api_server_keeps_them(written, stored):
    assert canonical(written) == stored


@pytest.mark.parametrize(
    ("thousandths", "quantity"), [(16_000, "16"), (1500, "1500m"), (10**9, "1000000"), (0, "0")]
)
def test_cores_are_whole_or_thousandths(thousandths, quantity):
    assert cpu_quantity(thousandths) == quantity


@pytest.mark.parametrize(
    ("size", "quantity"), [(2**41, "2Ti"), (3 * 2**29, "1536Mi"), (1000, "1000"), (0, "0"), (-1, "-1")]
)
def test_memory_is_in_the_largest_unit_that_tells_it_exactly(size, quantity):
    assert memory_quantity(size) == quantity


@pytest.mark.parametrize(
    ("duration", "seconds"), [("10m", 600), ("1h30m", 5400), ("1.5s", 1.5), ("500ms", 0.5), ("600", None)]
)
def test_durations_are_read_as_go_writes_them(duration, seconds):
    assert duration_seconds(duration) == seconds


def test_amounts_in_messages_are_rounded():
    assert [cores_text(amount) for amount in (1000, 7500, 60)] == ["1 core", "7.5 cores", "0.06 cores"]
    assert [gib_text(mib) for mib in (64 * 1024, 61_952)] == ["64 GiB", "60.5 GiB"]
