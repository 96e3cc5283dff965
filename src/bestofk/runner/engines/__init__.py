"""Where trials run: in this process, in local processes, as commands or on a Dask cluster."""
