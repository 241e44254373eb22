"""A list of bugs, and what plants them: see README.md here."""
