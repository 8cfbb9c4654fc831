"""The referee's page: a question, laid out on a felt by tapping, and the ruling on it. The address holds it all."""
