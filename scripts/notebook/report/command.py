"""`lab report`."""

from notebook.chapters import all_chapters
from notebook.project import Project
from notebook.report import kernel_data, site


def report(project: Project, count_lines: bool) -> int:
    if count_lines:
        for chapter in all_chapters(project):
            kernel_data.count(project, chapter)
    first = site.write(project, project.build / "report")
    size = sum(each.stat().st_size for each in first.parent.iterdir())
    print(f"{project.quoted(first)}: {size / 2**20:.1f} MiB; open it in a browser")
    return 0
