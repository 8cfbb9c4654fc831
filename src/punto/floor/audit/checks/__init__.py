"""What ``punto verify`` compares with the house's stream, a file for each subject."""
