"""File formats of questionnaires: packages of workbooks, CSV, cells as a grid."""
