"""A bar for each variant, to begin with: the metric of the first claim."""

from notebook.charts.evidence import Facts
from notebook.charts.marks import Chart
from notebook.charts.plain import variants


def chart(facts: Facts) -> Chart:
    return variants(facts)
