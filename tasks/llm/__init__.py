"""Language models: the client of an OpenAI-compatible server, its requests and completions."""
