// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.ConfigException;

/**
 * How long one forward step of one DP rank takes: a linear function in integer arithmetic,
 *
 * <pre>
 *   base + prefillTokens * perPrefillToken + decodeRows * perDecodeRow + contextTokens * perContextToken
 * </pre>
 *
 * in which a row of one token counts as decode, every other row as prefill, and the context of a decode row is the
 * number of KV entries it reads.
 *
 * @param baseNanos            a step with no rows; at least 1, so that time always moves.
 * @param perPrefillTokenNanos per token of a prefill row.
 * @param perDecodeRowNanos    per decode row.
 * @param perContextTokenPicos picoseconds per token of context of a decode row.
 */
public record StepCost(
    long baseNanos, long perPrefillTokenNanos, long perDecodeRowNanos, long perContextTokenPicos)
{
    /**
     * Each rank is as fast as one measured deployment of Qwen3-235B FP8 on 8 x H100 (TensorRT-LLM 1.0.0rc3, TP 8, EP 8).
     * Decode: the least-squares fit TPOT = 11.81 + 0.122 B + 0.110 B C ms over 63 points (mean error 8.9 %, worst
     * 35 %; B rows, C thousand tokens of context each). Prefill: the slope of TTFT between batches of 64 and 128
     * prompts of 1,024 tokens, (817 - 370) ms over 65,536 tokens, doubled because TTFT is a mean over the batch. The
     * benchmarks' {@code StepCostFit} repeats both on any copy of the measurements.
     */
    public static final StepCost DEFAULT = new StepCost(11_810_000, 13_600, 122_000, 110_000);

    private static final long MAX_TERM = 1_000_000_000_000L;
    private static final long PICOS_PER_NANO = 1000;

    public StepCost
    {
        checkRange("baseNanos", baseNanos, 1);
        checkRange("perPrefillTokenNanos", perPrefillTokenNanos, 0);
        checkRange("perDecodeRowNanos", perDecodeRowNanos, 0);
        checkRange("perContextTokenPicos", perContextTokenPicos, 0);
    }

    /** @throws ArithmeticException when the step would take longer than a long can hold. */
    public long nanos(final long prefillTokens, final long decodeRows, final long contextTokens)
    {
        final long prefill = Math.multiplyExact(prefillTokens, perPrefillTokenNanos);
        final long decode = Math.multiplyExact(decodeRows, perDecodeRowNanos);
        final long context = nanosOf(contextTokens, perContextTokenPicos);
        return Math.addExact(Math.addExact(baseNanos, prefill), Math.addExact(decode, context));
    }

    /**
     * {@code count * picos} in nanoseconds, rounded down. Whole nanoseconds are taken apart, because the product in
     * picoseconds may pass a long when the result does not.
     */
    static long nanosOf(final long count, final long picos)
    {
        return Math.addExact(Math.multiplyExact(count, picos / PICOS_PER_NANO),
            Math.multiplyExact(count, picos % PICOS_PER_NANO) / PICOS_PER_NANO);
    }

    private static void checkRange(final String name, final long value, final long min)
    {
        if (value < min || value > MAX_TERM)
        {
            throw new ConfigException(
                "step cost " + name + "=" + value + " is not between " + min + " and " + MAX_TERM + "; give a time.");
        }
    }
}
