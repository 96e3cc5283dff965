"""What other tools left: Optuna, scikit-learn, Ray Tune, W&B, MLflow, Hydra, and our own store.

runs.py         trials as a tool recorded them one by one, to columns
databases.py    looks into a database to see which tool wrote it
sqlite_limits.py  how long an SQLite file is read
run_store.py    the store of `run_search`
optuna_studies.py  optuna_samplers.py (how its trials were drawn)
optuna_export.py   a search to a study; optuna_kept.py: what is kept in its attributes
scikit_learn.py  ray_tune.py  mlflow_runs.py  hydra_jobs.py  wandb_runs.py (wandb_files.py)
"""
