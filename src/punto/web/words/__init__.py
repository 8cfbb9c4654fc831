"""What pages and answers of the API say alike, in the reader's language."""
