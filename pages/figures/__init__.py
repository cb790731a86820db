"""Pure functions from a view to a Plotly figure."""
