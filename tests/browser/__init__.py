"""Tests of the pages in a real Chromium, driven by Playwright."""
