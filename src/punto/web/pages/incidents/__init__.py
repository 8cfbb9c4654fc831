"""The numbered incidents of the floor: the list, and one of them as a page to print."""
