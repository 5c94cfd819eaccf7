"""Storage: the lake of Parquet tables, and the cache of the stages."""
