"""The lab: simulations with a known truth, and the figures and tables of the papers.

`truth` has distributions whose tuning curves are known exactly, `studies` what estimators,
intervals and bands do on samples from them, `papers` the figures and tables of the four papers,
`registry` all of them by name.  ``bestofk study`` and ``bestofk reproduce`` are the way in.
"""
