"""Files of the project as values, loaded as the opening call loads them."""
