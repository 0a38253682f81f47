"""The components of moka for programs in every language of Pulumi: docs/package.md."""

from moka.components.provider.server import serve

serve()
