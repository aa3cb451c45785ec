import sys

from notebook import bootstrap
from notebook.errors import Problem


def main() -> int:
    """The command line; a damaged .venv is rebuilt first."""
    try:
        if lost := bootstrap.damage():
            bootstrap.rebuild(f"without {' '.join(lost)}")
        try:
            from notebook import cli  # what it imports, a damaged .venv may not have

            return cli.main()
        except ImportError as error:
            if (error.name or "").startswith("notebook") or not bootstrap.is_ours():
                raise
            bootstrap.rebuild(str(error).splitlines()[0])
            raise
    except Problem as problem:
        print(f"lab: error: {problem}", file=sys.stderr)
        return problem.status


sys.exit(main())
