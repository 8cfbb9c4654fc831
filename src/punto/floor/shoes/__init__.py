"""Shoes: sealed virtual ones, and real ones that a scanner reads."""
