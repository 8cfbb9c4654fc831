"""What a floor that nobody has set up begins with: five tables, and company at them."""
