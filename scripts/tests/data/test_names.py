from notebook.data import names


def test_the_regime_is_apart_from_the_variant() -> None:
    name = "read_offset/offset:11/block:512/n:16777216/cache:cold"
    assert names.variant(name) == "read_offset/block:512/offset:11"
    assert names.regime(name) == "n:16777216/cache:cold"
    assert names.regime_in_words(names.regime(name)) == "n = 2^24, cold"
    assert names.regime("memcpy") == ""


def test_numbers_sort_by_their_value() -> None:
    unsorted = ["r/offset:11", "r/offset:2", "r/offset:128", "memcpy/bytes:4"]
    expected = ["memcpy/bytes:4", "r/offset:2", "r/offset:11", "r/offset:128"]
    assert names.naturally_sorted(unsorted) == expected
