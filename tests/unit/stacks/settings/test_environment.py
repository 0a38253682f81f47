from stacks import settings

PROD = settings.load("prod")


def test_names_that_are_unique_in_aws_begin_with_organization_and_environment():
    assert PROD.eks_name("batch-a") == f"{PROD.organization}-prod-batch-a"
    assert PROD.role_path == f"/{PROD.organization}-prod/"


def test_a_cluster_is_one_of_its_foundation():
    for name, cluster in PROD.clusters.items():
        assert PROD.foundation_of(name) == PROD.foundations[cluster.foundation]
        assert name in PROD.clusters_of(cluster.foundation)


def test_an_account_is_named_once_however_many_foundations_it_has():
    assert sorted(set(PROD.accounts)) == list(PROD.accounts)
    assert set(PROD.accounts) == {foundation.account for foundation in PROD.foundations.values()}


def test_tags_say_whose_a_resource_is():
    assert PROD.resource_tags == {**PROD.tags, "moka:environment": "prod", "moka:managed-by": "pulumi"}
