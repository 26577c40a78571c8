"""Man pages and shells' completion, from the tables by which the commands themselves read their options."""
