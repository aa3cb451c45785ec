"""`lab report`."""

from notebook.base.progress import say
from notebook.base.project import Project
from notebook.data.chapters import all_chapters
from notebook.report import kernel_data, site


def report(project: Project) -> int:
    kernel_data.count(project, all_chapters(project))
    say("deciding all claims, and writing the pages")
    first = site.write(project, project.build / "report")
    size = sum(file.stat().st_size for file in first.parent.iterdir())
    print(f"{project.quoted(first)}: {size / 2**20:.1f} MiB; open it in a browser")
    return 0
