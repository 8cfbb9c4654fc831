"""The floor over HTTP: an API, live push, and the pages that use both."""
