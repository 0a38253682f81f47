"""How large the platform's own programs have to be."""
