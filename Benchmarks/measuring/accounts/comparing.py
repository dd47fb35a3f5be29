"""Whether two samples of times can be told apart."""

import math
import random
import statistics


def quantile(times, share):
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]


def difference(first, second):
    return statistics.median(first) - statistics.median(second)


def interval(first, second, resamples=1000):
    """Where the difference of the medians lies in 95 of 100 cases, by the bootstrap."""
    seen = sorted(
        difference(random.choices(first, k=len(first)), random.choices(second, k=len(second)))
        for _ in range(resamples)
    )
    return seen[round(0.025 * resamples)], seen[round(0.975 * resamples) - 1]


def mann_whitney(first, second):
    """The test of Mann and Whitney, with the normal distribution in place of U's.

    Returns the share of pairs in which `first` is the larger one (0.5: one cannot tell), and how
    likely a share so far from a half is where there is no difference.
    """
    n, m = len(first), len(second)
    ranks = _ranks(first + second)
    u = sum(ranks[:n]) - n * (n + 1) / 2
    z = (u - n * m / 2) / math.sqrt(n * m * (n + m + 1) / 12)
    return u / (n * m), math.erfc(abs(z) / math.sqrt(2))


def _ranks(values):
    """From 1; equal values share their mean rank. Clocks are fine enough for few of them, so that
    the variance needs no correction."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    begin = 0
    while begin < len(order):
        end = begin
        while end < len(order) and values[order[end]] == values[order[begin]]:
            end += 1
        for index in order[begin:end]:
            ranks[index] = (begin + 1 + end) / 2
        begin = end
    return ranks
