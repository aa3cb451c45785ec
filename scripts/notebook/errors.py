"""What can go wrong and be mended: one line for the user, and the exit status that goes with it."""

CHECK_FAILED = 1
WRONG_USAGE = 2
MISSING = 3
INTERRUPTED = 130


class Problem(Exception):
    """One line that says what is wrong and the mend; `status` becomes the exit status."""

    def __init__(self, message: str, status: int = CHECK_FAILED) -> None:
        super().__init__(message)
        self.status = status
