"""Text as the stages share it: the words that say what a sentence is about."""
