"""Statistics: means with intervals, paired differences and analysis of variance."""
