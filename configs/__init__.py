"""Settings, from the environment, and plans: the recipes by which a corpus is indexed and asked."""
