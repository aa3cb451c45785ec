"""`lab report`: all pages, verdicts and kernels as a static site that opens from the file system.

site.py writes it, rendering.py turns Markdown into HTML, verdict_data.py and kernel_data.py collect
what its tables show. Everything is inline, and its security policy lets no request leave.
"""
