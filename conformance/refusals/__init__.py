"""Resources that AWS has to refuse: what they are, on what they stand, and what came of them."""
