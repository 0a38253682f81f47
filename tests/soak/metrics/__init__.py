"""A package, so that what is up for its tests, of scope `package`, goes after the last of them."""
