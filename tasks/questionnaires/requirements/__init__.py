"""Free text of a tender: what it requires of the bidder, answered in a compliance matrix and a response document."""
