"""Celeborn: its configuration files, and which sets its workers are in."""
