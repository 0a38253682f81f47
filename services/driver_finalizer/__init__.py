"""The controller that removes the finalizer of driver pods once their application has read how they ended."""
