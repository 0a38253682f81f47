"""`python -m archer`."""

from archer.command_line import main

main()
