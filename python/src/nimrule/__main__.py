"""The command `nimrule`."""

import sys

from nimrule import _core


def main() -> int:
    """Run the command line on the arguments of the process, and return its exit code."""
    return _core.main(["nimrule", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
