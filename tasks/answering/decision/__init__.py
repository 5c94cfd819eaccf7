"""Decision: answered, to review or declined, with a confidence and a reason."""
