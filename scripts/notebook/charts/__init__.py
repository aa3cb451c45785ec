"""Charts: what each figure shows and the sentence above it, computed from data/ alone.

`marks` holds what gnuplot draws, `look` colours and shapes, `evidence` how a chart asks the results,
`curves` how equal curves merge. Each of the other modules holds the charts of one part.
"""
