"""Review: people approve, edit and reject drafts; every decision is an event that is only ever added."""
