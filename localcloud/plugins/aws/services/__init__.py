"""Services as boto3's clients answer them: moto's answers, and what moto has no place for, kept in files."""
