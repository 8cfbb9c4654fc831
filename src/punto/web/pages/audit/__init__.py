"""The auditor's desk."""
