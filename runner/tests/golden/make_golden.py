#!/usr/bin/python3
"""Write stats.txt: what independent implementations say the statistics module should compute.

Needs SciPy (written with 1.10; Debian: python3-scipy). The tests only read the result, so this runs
by hand when a case is added:

    runner/tests/golden/make_golden.py > runner/tests/golden/stats.txt

One case a line, fields by blanks, numbers that read back exactly:
    order N K COVERAGE                         scipy.stats.binom, K = 0 and nan: no interval
    median N LO HI LEVEL MEDIAN X...           numpy.median, LO and HI by the rank above
    yuen N ALPHA MEAN SE DF LO HI P X...       scipy.stats.ttest_ind(x, zeros, trim=0.2), scipy.stats.t.sf
    wilcoxon N W P X...                        scipy.stats.wilcoxon, permutation_test, or whole numbers
    normal N P X...                            scipy.stats.wilcoxon, approx, with correction; ties
    welch M1 S1 DF1 M2 S2 DF2 DF P             scipy.stats.ttest_ind_from_stats
    unpaired N1 N2 ALPHA D SE DF LO HI P X... Y...   scipy.stats.ttest_ind(y, x, equal_var=False, trim=0.2)
    holm N P... ADJUSTED...                    from the definition: each p against every larger set
    percentile PPM VALUE N X...                numpy.percentile, method inverted_cdf
"""
import sys
from fractions import Fraction

import numpy as np
from scipy import optimize, stats

rng = np.random.default_rng(20260401)


def put(kind, *fields):
    print(kind, *("%.17g" % f if isinstance(f, float) else str(f) for f in fields))


def floats(x):
    return [float(v) for v in x]


def interval_rank(n, level):
    best = (0, float("nan"))
    for k in range(1, n // 2 + 1):
        # The median lies in [x(k), x(n+1-k)] when k..n-k of the values fall below it.
        covered = float(sum(stats.binom.pmf(i, n, 0.5) for i in range(k, n - k + 1)))
        if covered >= level:
            best = (k, covered)
    return best


def order_cases():
    for n in range(0, 61):
        k, covered = interval_rank(n, 0.95)
        put("order", n, k, covered)


def median_cases():
    for n in (1, 2, 5, 6, 7, 11, 16, 17, 31, 60):
        for level in (0.95, 0.99):
            x = rng.lognormal(3, 0.4, n).round(2 if n % 2 else 0)
            k, _ = interval_rank(n, level)
            s = np.sort(x)
            lo, hi = (float(s[k - 1]), float(s[n - k])) if k else (float("nan"),) * 2
            put("median", n, lo, hi, level, float(np.median(x)), *floats(x))


def t_quantile(tail, df):
    # SciPy's own t.isf is good to 5e-9 only; its tail probability is good to the last digits.
    return optimize.brentq(lambda t: stats.t.sf(t, df) / tail - 1, 0, 1e6, xtol=1e-14, rtol=1e-14)


def yuen_case(x, alpha):
    n = len(x)
    # Against zeros without spread, the two-sample test of Yuen is the one-sample one.
    t, p = stats.ttest_ind(x, np.zeros(n), equal_var=False, trim=0.2)
    mean = stats.trim_mean(x, 0.2)
    se = mean / t
    h = n - 2 * (n // 5)
    # Both tails of the same t again, from the interval's side; the winsorised spread another way.
    w = stats.mstats.winsorize(np.array(x), limits=(0.2, 0.2))
    other = np.sqrt(np.sum((w - w.mean()) ** 2) / (h * (h - 1)))
    assert abs(se / other - 1) < 1e-9, (se, other)
    half = t_quantile(alpha / 2, h - 1) * other
    put("yuen", n, alpha, float(mean), float(other), h - 1, float(mean - half), float(mean + half),
        float(p), *floats(x))


def yuen_cases():
    for n in list(range(4, 32)) + [40, 55, 60]:
        x = rng.normal(0.05, 0.03, n)
        x[rng.random(n) < 0.1] += np.log(1.2)
        yuen_case(x, 0.035 / 40)
        yuen_case(rng.standard_t(2, n) * 0.02 - 0.01, 0.05)
    for n in (6, 11, 17, 31):  # ties
        yuen_case(rng.integers(-2, 5, n) / 8.0 + 0.125, 0.035)


def doubled_midranks(x):
    return [int(round(2 * r)) for r in stats.rankdata(np.abs(x))]


def signed_rank_whole(x):
    """Exact two-sided p from whole-number counts of the sums of mid-ranks."""
    x = [v for v in x if v != 0]
    ranks = doubled_midranks(x)
    counts = {0: 1}
    for r in ranks:
        nxt = dict(counts)
        for s, c in counts.items():
            nxt[s + r] = nxt.get(s + r, 0) + c
        counts = nxt
    w = sum(r for r, v in zip(ranks, x) if v > 0)
    below = sum(c for s, c in counts.items() if s <= w)
    above = sum(c for s, c in counts.items() if s >= w)
    p = min(Fraction(1), 2 * Fraction(min(below, above), 2 ** len(x)))
    return w / 2, float(p)


def signed_rank_permuted(x):
    x = np.array([v for v in x if v != 0])
    ranks = stats.rankdata(np.abs(x))

    def statistic(sample, axis=-1):
        return np.sum(np.where(sample > 0, ranks, 0.0), axis=axis)

    return stats.permutation_test((x,), statistic, permutation_type="samples", n_resamples=np.inf,
                                  vectorized=True).pvalue


def wilcoxon_case(x):
    w, p = signed_rank_whole(x)
    kept = [v for v in x if v != 0]
    if len(kept) > 0 and len(set(np.abs(kept))) == len(kept) and len(kept) <= 50:
        theirs = stats.wilcoxon(kept, mode="exact").pvalue
        assert abs(theirs - p) < 1e-12, (theirs, p)
        p = float(theirs)
    elif 0 < len(kept) <= 12:
        theirs = signed_rank_permuted(x)
        assert abs(theirs - p) < 1e-12, (theirs, p)
        p = float(theirs)
    put("wilcoxon", len(x), w, p, *floats(x))


def wilcoxon_cases():
    for n in range(1, 61):
        wilcoxon_case(rng.normal(0.01, 0.03, n))
    for n in list(range(1, 13)) * 2 + [17, 24, 31, 45, 60]:  # ties and zeros
        wilcoxon_case(rng.integers(-2, 5, n) / 4.0)
    wilcoxon_case([0.0] * 5)
    wilcoxon_case([0.25] * 11)
    wilcoxon_case([-0.25] * 60)


def normal_cases():
    for n in (129, 160, 300):
        x = rng.integers(-8, 11, n) / 4.0
        put("normal", n, float(stats.wilcoxon(x, mode="approx", correction=True).pvalue),
            *floats(x))


def welch_cases():
    for n1, n2 in ((11, 11), (11, 31), (17, 6), (6, 60)):
        m1, m2 = rng.normal(0.05, 0.02, 2)
        s1, s2 = rng.uniform(0.002, 0.02, 2)
        test = stats.ttest_ind_from_stats(m1, s1 * n1 ** 0.5, n1, m2, s2 * n2 ** 0.5, n2,
                                          equal_var=False)
        # SciPy keeps its degrees of freedom to itself: find those that give its p.
        a, b = s1 ** 2, s2 ** 2
        df = (a + b) ** 2 / (a ** 2 / (n1 - 1) + b ** 2 / (n2 - 1))
        assert abs(2 * stats.t.sf(abs(test.statistic), df) - test.pvalue) < 1e-12
        put("welch", float(m1), float(s1), n1 - 1, float(m2), float(s2), n2 - 1, float(df),
            float(test.pvalue))


def holm_adjusted(p):
    """Smallest level at which the closed testing procedure with Bonferroni tests rejects."""
    n = len(p)
    adjusted = []
    for i in range(n):
        worst = 0.0
        for mask in range(1, 1 << n):
            if mask >> i & 1:
                members = [p[j] for j in range(n) if mask >> j & 1]
                worst = max(worst, min(1.0, len(members) * min(members)))
        adjusted.append(worst)
    return adjusted


def holm_cases():
    for n in (1, 2, 3, 5, 8):
        p = floats((rng.random(n) ** 3).round(4))
        put("holm", n, *p, *holm_adjusted(p))
    p = [0.01, 0.02, 0.01, 0.5, 0.0, 1.0]
    put("holm", len(p), *p, *holm_adjusted(p))


def percentile_cases():
    for n in (1, 2, 3, 10, 99, 100, 101, 250):
        x = np.floor(rng.lognormal(4, 0.7, n)).astype(int)
        for ppm in (0, 500000, 900000, 990000, 999000, 1000000):
            value = np.percentile(x, ppm / 1e4, method="inverted_cdf")
            put("percentile", ppm, int(value), n, *(int(v) for v in x))


def unpaired_case(x, y, alpha):
    """Yuen's two-sample test; its error and degrees of freedom from the winsorised spreads."""
    t, p = stats.ttest_ind(y, x, equal_var=False, trim=0.2)
    d = stats.trim_mean(y, 0.2) - stats.trim_mean(x, 0.2)
    se = d / t
    parts = []
    for v in (x, y):
        n = len(v)
        h = n - 2 * (n // 5)
        w = stats.mstats.winsorize(np.array(v), limits=(0.2, 0.2))
        parts.append((np.sum((w - w.mean()) ** 2) / (h * (h - 1)), h - 1))
    (a, dfa), (b, dfb) = parts
    assert abs(np.sqrt(a + b) / se - 1) < 1e-9, (np.sqrt(a + b), se)
    df = (a + b) ** 2 / (a ** 2 / dfa + b ** 2 / dfb)
    assert abs(2 * stats.t.sf(abs(t), df) / p - 1) < 1e-7, (df, p)
    half = t_quantile(alpha / 2, df) * np.sqrt(a + b)
    put("unpaired", len(x), len(y), alpha, float(d), float(np.sqrt(a + b)), float(df),
        float(d - half), float(d + half), float(p), *floats(x), *floats(y))


def unpaired_cases():
    for n1, n2 in ((6, 6), (11, 11), (11, 31), (17, 6), (31, 31), (60, 9)):
        x = rng.normal(2.0, 0.03, n1)
        y = rng.normal(2.04, 0.06, n2)
        y[rng.random(n2) < 0.1] += np.log(1.2)
        unpaired_case(x, y, 0.035 / 15)
        unpaired_case(rng.standard_t(2, n1) * 0.02, rng.standard_t(2, n2) * 0.05, 0.05)


def main():
    if sys.argv[1:]:
        sys.exit("usage: make_golden.py > stats.txt")
    print("# Written by make_golden.py with SciPy; see there.")
    order_cases()
    median_cases()
    yuen_cases()
    wilcoxon_cases()
    welch_cases()
    holm_cases()
    percentile_cases()
    normal_cases()
    unpaired_cases()


main()
