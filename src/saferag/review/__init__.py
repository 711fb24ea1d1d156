"""People look at what was built, and judge answers: a local page over a journal that loses nothing."""
