"""`python -m commands`: the command line `moka`."""

from commands.app import main

main()
