"""Whether AWS decides as the laptop cloud does: the same questions to either, where answers differ."""
