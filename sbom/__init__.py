"""Software bills of materials, in CycloneDX: what deploys the platform, and what its own images hold."""
