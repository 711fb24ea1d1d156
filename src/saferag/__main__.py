"""``python -m saferag`` is the command ``saferag``."""

from saferag.cli import main

if __name__ == "__main__":
    main()
