"""The numbers of the pages' prose, and how each follows from the data.

`chapter_NN.py` has three parts. `facts` yields words of the page, the asserted numbers in brackets, and for each
bracket the values in the data that it stands for: `"[5 to 6] % longer", d.more("variant", "baseline")`. Ranges are
from the smallest to the largest value as rounded there; `about`, `up to`, `less than`, `a third`, `nine in ten`
mean what they say (reading.py). `CITED` are words whose numbers a source prints, `GIVEN` those that define, count or
follow from others on the page. What a page sets up (Method, tables, drawings, sizes) needs neither (prose.py).
"""
