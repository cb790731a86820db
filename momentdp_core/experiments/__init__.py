"""The papers' claims recomputed: one study a file, and a verdict for each claim.

A study is a function that returns a frozen record; `claims.CLAIMS` lists the claims with what was
published, and judges a record of the study that a claim rests on.
"""
