"""Git of this checkout, whatever repository the environment names: hooks and scripts of another one set
GIT_DIR for what they start."""

import os

# As `git rev-parse --local-env-vars` lists them, without those of configuration.
_OF_ANOTHER_REPOSITORY = frozenset(
    (
        *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX"),
        *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE"),
        *("GIT_GRAFT_FILE", "GIT_SHALLOW_FILE", "GIT_NO_REPLACE_OBJECTS"),
    )
)


def environment() -> dict[str, str]:
    """That of a git command about a checkout that is named by its path."""
    return {key: value for key, value in os.environ.items() if key not in _OF_ANOTHER_REPOSITORY}
