"""The numbers of the pages' prose, and how each follows from the data; see test_page_numbers.py."""
