"""What AWS, EKS and Kubernetes decide, decided here: rules with their sources, pure functions over data.

A module knows no engine, no client and no cloud's folder: it is given things as the API of AWS or Kubernetes
shows them, and says what would be refused. The plugins and the control plane ask, and refuse.
"""
