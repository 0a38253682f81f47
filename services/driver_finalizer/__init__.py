"""The controller that lets finished Spark drivers go once their application knows how they ended."""
