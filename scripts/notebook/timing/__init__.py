"""How far the times of the model are from real ones."""
