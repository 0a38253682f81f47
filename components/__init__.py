"""Component resources that any Pulumi program could use; they know nothing of layers or environments."""
