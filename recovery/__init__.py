"""What an update that was cut off left behind: what is pending in a state, and how it is put right.

locks, plan, searches and state are pure functions of states as `pulumi stack export` gives them, and tables;
the others ask pulumi, backends and AWS. `moka recover` acts.
"""
