"""Verifications and exports that people start at the desk, in processes of their own."""
