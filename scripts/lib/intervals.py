# SPDX-License-Identifier: BSD-3-Clause
"""How sure a ratio, a mean and a rank correlation are: 95% intervals and a p-value."""
import collections
import functools
import itertools
import math
import random

LEAST_PAIRS = 5  # below that the record has no interval either
RESAMPLES, SEED = 2000, 1
WORD = 2**64 - 1
EXACT_RANKS, DRAWN_ORDERS, MANY_RANKS = 8, 20_000, 50
SIGNIFICANT = 0.05

# Of Student's t: what 97.5% stay below, by degrees of freedom from 1 on.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179,
           2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
           2.060, 2.056, 2.052, 2.048, 2.045, 2.042)
NORMAL = 1.959964
LEAST_VALUES = 3  # of a mean: with two the interval says nothing


def quantile(ordered, share):
    """Type 7 of Hyndman and Fan; `ordered` is ascending and not empty."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def mix64(z):
    """The finalizer of SplitMix64, which lufact itself draws resamples with."""
    z = (z + 0x9E3779B97F4A7C15) & WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
    return z ^ (z >> 31)


def hash64(seed, first, second):
    return mix64(mix64(mix64(seed) ^ first) ^ second)


@functools.lru_cache(maxsize=None)
def picks(size, seed):
    """The samples that each resample takes, ascending."""
    return [tuple(sorted(hash64(seed, resample, place) % size for place in range(size)))
            for resample in range(RESAMPLES)]


@functools.lru_cache(maxsize=None)
def counted_picks(size, seed):
    """{the samples that a resample takes: how often it is drawn}."""
    return collections.Counter(picks(size, seed))


def median(values):
    return quantile(sorted(values), 0.5)


def bounds(weighted):
    """The quantiles at 2.5% and 97.5% of (value, how often)."""
    ordered = [value for value, count in sorted(weighted) for _ in range(count)]
    return quantile(ordered, 0.025), quantile(ordered, 0.975)


def paired_interval(base, other):
    """Of the ratio of medians of pairs of samples: the percentile bootstrap over pairs that
    `comparisons` of a record has, or None below 5 pairs."""
    if len(base) < LEAST_PAIRS:
        return None
    return bounds((median([base[k] for k in chosen]) / median([other[k] for k in chosen]), count)
                  for chosen, count in counted_picks(len(base), SEED).items())


def unpaired_interval(base, other):
    """The same where each side is drawn for itself."""
    if min(len(base), len(other)) < LEAST_PAIRS:
        return None
    return unpaired_bounds(tuple(base), tuple(other))


@functools.lru_cache(maxsize=None)  # pages, the report and claims ask for the same ones
def unpaired_bounds(base, other):
    def medians(samples, seed):
        return [median([samples[k] for k in chosen]) for chosen in picks(len(samples), seed)]
    pairs = zip(medians(base, SEED), medians(other, hash64(SEED, 0, 1)))
    return bounds((a / b, 1) for a, b in pairs)


def student(freedom):
    """What 97.5% of Student's t stay below: from the table, or by the expansion around the normal
    distribution (Abramowitz and Stegun 26.7.5), which is right to 1e-4 beyond it."""
    if freedom <= len(STUDENT):
        return STUDENT[freedom - 1]
    z = NORMAL
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def mean_interval(logarithms):
    """Of the mean over matrices, by Student's t, or None below 3 of them."""
    count = len(logarithms)
    if count < LEAST_VALUES:
        return None
    mean = sum(logarithms) / count
    variance = sum((x - mean) ** 2 for x in logarithms) / (count - 1)
    margin = student(count - 1) * math.sqrt(variance / count)
    return mean - margin, mean + margin


def ranks(values):
    """Ranks from 0, ties averaged."""
    order = sorted(range(len(values)), key=lambda k: values[k])
    result = [0.0] * len(values)
    first = 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for k in order[first:last + 1]:
            result[k] = (first + last) / 2
        first = last + 1
    return result


# value is Spearman's coefficient, p how probable one as far from 0 is without any relation (both
# sides), n the number of pairs.
Correlation = collections.namedtuple("Correlation", "value p n")


def rank_correlation(first, second):
    """Spearman's with its p-value, or None where one of the lists does not vary."""
    count, mean = len(first), (len(first) - 1) / 2
    a = [rank - mean for rank in ranks(first)]
    b = [rank - mean for rank in ranks(second)]
    scale = math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))
    if scale == 0:
        return None
    found = sum(x * y for x, y in zip(a, b))
    if count > MANY_RANKS:
        p = math.erfc(abs(found / scale) * math.sqrt((count - 1) / 2))
    else:
        p = permutation_p(a, b, abs(found))
    return Correlation(found / scale, p, count)


def permutation_p(a, b, found):
    """The share of orders of b whose sum of products is as far from 0: of all orders up to 8
    values, of 20,000 that are always the same ones beyond."""
    least = found - 1e-9 * max(1.0, found)
    def reaches(order):
        return abs(sum(x * y for x, y in zip(a, order))) >= least
    if len(b) <= EXACT_RANKS:
        orders = list(itertools.permutations(b))
        return sum(map(reaches, orders)) / len(orders)
    drawn, order, hits = random.Random(SEED), list(b), 0
    for _ in range(DRAWN_ORDERS):
        drawn.shuffle(order)
        hits += reaches(order)
    return (hits + 1) / (DRAWN_ORDERS + 1)


def p_text(p):
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
