"""Environments: their settings, their layers, and how much of one a Pulumi stack deploys."""
