"""The command line: parser, options and commands."""
