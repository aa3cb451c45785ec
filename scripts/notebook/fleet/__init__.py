"""`lab fleet`: the notebook on every kind of GPU of a Slurm cluster.

A campaign is one submission: a job array for each kind of GPU, a task for each chapter. Tasks send
their results back inside their own output, so nothing else has to be shared with the nodes.
"""
