"""Handling one HTTP request: endpoints, authentication, limits and errors."""
