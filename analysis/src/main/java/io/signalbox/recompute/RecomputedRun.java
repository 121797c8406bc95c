// SPDX-License-Identifier: Apache-2.0
package io.signalbox.recompute;

/**
 * The figures of a recomputation: everything that it compared, up to the first step that differs, that step included.
 *
 * @param steps         committed steps.
 * @param tokens        tokens that these steps computed.
 * @param rows          rows of routed experts; those that the record lacks do not count.
 * @param missingRows   rows that the record lacks: nothing to compare.
 * @param sampledTokens tokens that were sampled.
 * @param logprobs      log-probabilities that were recorded.
 * @param uncommitted   steps of the whole journal that were never committed, and are left out.
 * @param difference    {@code null} if everything is equal.
 */
public record RecomputedRun(
    long steps, long tokens, long rows, long missingRows, long sampledTokens, long logprobs, long uncommitted,
    StepDifference difference)
{
    /** Whether every committed step came out as recorded. */
    public boolean isEqual()
    {
        return difference == null;
    }
}
