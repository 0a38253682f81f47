"""What AWS refuses, a file a subject: each loads what its rules need, and says what they say."""
