"""Whether AWS would allow a request, by the policies that are in its way."""
