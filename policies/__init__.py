"""The policy pack: what must not ship."""
