"""The band of a generation without errors of its own: worked out by hand."""

import pytest

from notebook.transfer import ALIKE, RatioError, half_width, nearest


def gpu(*errors: float, size: float = 1.0) -> list[RatioError]:
    return sorted(RatioError(size, error) for error in errors)


def test_the_gpu_in_question_weighs_as_much_as_each_other() -> None:
    """With nine others it has a tenth: the band holds all that they err. With eight, no band is wide enough."""
    gpus = [gpu(0.1 * (1 + i)) for i in range(9)]
    assert half_width(1.0, gpus, [], 0.9) == pytest.approx(0.9)
    assert half_width(1.0, gpus[:8], [], 0.9) is None
    assert half_width(1.0, [], [], 0.9) is None


def test_a_gpu_of_many_ratios_weighs_no_more_than_one_of_a_single_one() -> None:
    """19 GPUs: a twentieth each. Two may err more than the band of 90 %, minus the one in question: one."""
    wrong = [gpu(2.0), gpu(*[1.0] * ALIKE)]
    right = [gpu(0.1) for _ in range(17)]
    assert half_width(1.0, [*right, *wrong], [], 0.9) == 1.0
    assert half_width(1.0, [*right, gpu(0.1), wrong[0]], [], 0.9) == 0.1


def test_ratios_of_similar_size_count() -> None:
    near, far = gpu(*[0.1] * ALIKE, size=0.2), gpu(*[3.0] * ALIKE, size=5.0)
    errors = sorted(near + far)
    assert nearest(0.0, errors) == near
    assert nearest(9.0, errors) == far
    assert half_width(0.3, [errors] * 9, [], 0.9) == pytest.approx(0.1)
    assert half_width(4.0, [errors] * 9, [], 0.9) == pytest.approx(3.0)


def test_the_band_grows_with_the_share_and_with_any_error() -> None:
    gpus = [gpu(*(0.01 * i * j for j in range(1, 5))) for i in range(1, 31)]
    widths = [half_width(1.0, gpus, [], share) or 0.0 for share in (0.5, 0.8, 0.9, 0.95)]
    assert widths == sorted(widths)
    worse = [[RatioError(error.size, 2 * error.error) for error in one] for one in gpus]
    assert half_width(1.0, worse, [], 0.9) == pytest.approx(2 * widths[2])


def test_errors_of_the_generation_itself_only_widen_the_band() -> None:
    others = [gpu(*[0.2] * ALIKE) for _ in range(20)]
    assert half_width(1.0, others, [gpu(0.1, 0.1)], 0.9) == 0.2
    assert half_width(1.0, others, [gpu(*[0.1] * 8, 1.0, 1.0)], 0.9) == 1.0
    assert half_width(1.0, others, [gpu(*[0.1] * 9, 1.0)], 0.9) == 0.2
    assert half_width(1.0, [], [gpu(*[0.1] * ALIKE)], 0.9) is None
