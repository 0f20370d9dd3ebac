"""What Ropewalk does inside a PyTorch program; see rope.py."""
