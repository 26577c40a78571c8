"""Steps of a loop over time in bands: many of them in one launch."""
