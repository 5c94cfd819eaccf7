"""Cluster: functions run on many items, by Dask or in this process."""
