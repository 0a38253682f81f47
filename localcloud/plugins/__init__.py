"""Provider plugins of the laptop cloud, each `python -m localcloud.plugins.<name>`.

They serve the laptop cloud and nothing else: `safety` says when they refuse to.
"""
