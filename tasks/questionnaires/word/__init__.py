"""Questionnaires in Word files: the places for answers in tables, running text, content controls and check boxes."""
