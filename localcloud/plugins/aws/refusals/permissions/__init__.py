"""Who may do what, refused where AWS and EKS do: a file for each that asks."""
