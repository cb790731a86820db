"""Pure functions from a study to a frozen record of what a page says and draws."""
