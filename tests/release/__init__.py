"""What comes with a release: a list of its parts, the hashes of the wheel, and a look for known vulnerabilities."""
