"""Accounts of the staff: passwords, PINs, second factors, terminals."""
