import sys

from notebook.base import interrupts, streams
from notebook.base.errors import INTERRUPTED, Problem


def main() -> int:
    """The command line, whatever befalls it."""
    try:
        interrupts.take()
        streams.prepare()
        return _with_packages()
    except Problem as problem:
        print(f"lab: error: {problem}", file=sys.stderr)
        return problem.status
    except KeyboardInterrupt:
        print("lab: interrupted; results already written are intact", file=sys.stderr)
        return INTERRUPTED
    finally:
        interrupts.leave()


def _with_packages() -> int:
    """A damaged .venv is rebuilt first."""
    from notebook.tools import bootstrap

    if lost := bootstrap.damage():
        bootstrap.rebuild(f"without {' '.join(lost)}")
    try:
        from notebook import cli

        return cli.main()
    except ImportError as error:
        if (error.name or "").startswith("notebook") or not bootstrap.is_ours():
            raise
        bootstrap.rebuild(str(error).splitlines()[0])
        raise


sys.exit(main())
