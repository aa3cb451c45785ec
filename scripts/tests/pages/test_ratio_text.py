"""Ratios on pages: decimals, and fractions where all of a range is below a tenth."""

import pytest

from notebook.base.ratio_text import ends


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0.00225], ["1/444"]),
        ([0.0682, 0.0695], ["1/14.7", "1/14.4"]),
        ([0.0625], ["1/16"]),
        ([0.0004], ["1/2,500"]),
        ([0.1], ["0.1000"]),
        ([0.0576, 0.12], ["0.0576", "0.1200"]),  # one form for both ends
        ([0.0, 0.05], ["0.0000", "0.0500"]),  # nothing has no fraction
        ([0.05, float("inf")], ["0.0500", "inf"]),
    ],
)
def test_small_ratios_are_fractions(values: list[float], texts: list[str]) -> None:
    assert ends(values, "{:.4f}".format) == texts


def test_an_interval_has_the_form_of_its_value() -> None:
    assert ends([0.05], "{:.4f}".format, [0.04, 0.2]) == ["1/20", "1/25", "1/5"]
    assert ends([0.2], "{:.4f}".format, [0.05, 0.3]) == ["0.2000", "0.0500", "0.3000"]
