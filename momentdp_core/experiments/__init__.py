"""The papers' experiments, one study a file; each returns frozen records."""
