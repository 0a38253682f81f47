"""A picture of an environment: accounts, networks, clusters, node groups, layers, and what reads what."""
