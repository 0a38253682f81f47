"""The service layer: takes jobs, answers, authorizes. It talks to the database, and never to a cluster."""
