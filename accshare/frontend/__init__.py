"""How C is understood. The verb is `parse.parse`: who needs but the C AST, `ir`, loads no front end with it."""
