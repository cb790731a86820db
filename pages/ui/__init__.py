"""Streamlit pieces that the pages share: controls, link state, live chart, table."""
