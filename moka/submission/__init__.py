"""Jobs that are submitted: what becomes of them, where they go, in which order, and who may ask. Pure."""
