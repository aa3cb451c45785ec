"""`lab test`: builds everything, runs the C++ tests, then those of the scripts."""

import subprocess
import sys

from notebook import build, setup, toolbox
from notebook.errors import CHECK_FAILED
from notebook.progress import say
from notebook.project import Project


def test(project: Project) -> int:
    """Returns 0 when every test passed. What pytest sums up is the last that is printed."""
    setup.install_missing(project)
    toolbox.require((*toolbox.FOR_EVERY_RUN, toolbox.GTEST), "building the tests")
    setup.require_nvcc()
    build.configure(project)
    build.build(project)
    passed = build.run_tests(project)
    if not passed:
        say("error: C++ tests failed, see above; going on with the tests of the scripts")
    pytest = [sys.executable, "-m", "pytest", "-q", str(project.root / "scripts" / "tests")]
    done = subprocess.run(pytest, cwd=project.root, env=toolbox.environment(), check=False)
    return 0 if passed and done.returncode == 0 else CHECK_FAILED
