"""Layers of an environment, a module each."""
