"""What a reviewer should know of a preview: read, judged subject by subject, and written."""
