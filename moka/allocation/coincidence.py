"""What a queue needs, in parts of its workflows.

Workflows that run at different times need less together than the sum of what each needs by itself. Electrical
engineers call the ratio of the two the coincidence factor, whose reciprocal is diversity (UFC 3-501-03N,
2.3.2, http://buildingcriteria2.tpub.com/ufc_3_501_03n/ufc_3_501_03n0039.htm;
https://www.iala-aism.org/wiki/dictionary/index.php/Diversity_factor).
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise


def coincident(together: int, needs: Sequence[int]) -> list[int]:
    """Each one's need by itself, times the coincidence factor of all of them, which is never above 1.

    together: what they need at a time. What is rounded comes to exactly that.
    """
    whole = sum(needs)
    if whole <= together:
        return [*needs]
    ends = [amount * together // whole for amount in accumulate(needs, initial=0)]
    return [end - began for began, end in pairwise(ends)]
