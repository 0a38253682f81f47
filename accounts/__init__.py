"""What an account of an environment has before its first `up`: state, secrets provider, roles of CI."""
