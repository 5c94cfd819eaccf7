"""Reading: columns, sections and questions of a questionnaire."""
