"""The pages as people see them: a real Chromium, driven by Playwright."""
