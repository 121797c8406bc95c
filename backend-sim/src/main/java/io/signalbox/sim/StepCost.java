// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.config.Setting;

import java.util.List;

/**
 * How long one forward step of one DP rank takes: a linear function in integer arithmetic,
 *
 * <pre>
 *   base + prefillTokens * perPrefillToken + decodeEntries * perDecodeEntry + contextTokens * perContextToken
 * </pre>
 *
 * in which an entry of one token counts as decode, every other entry as prefill, and the context of a decode entry is the
 * number of KV entries it reads.
 *
 * @param baseNanos            a step without entries; at least 1, so that time always moves.
 * @param perPrefillTokenNanos per token of a prefill entry.
 * @param perDecodeEntryNanos  per decode entry.
 * @param perContextTokenPicos picoseconds per token of context of a decode entry.
 */
public record StepCost(
    long baseNanos, long perPrefillTokenNanos, long perDecodeEntryNanos, long perContextTokenPicos)
{
    private static final long MAX_TERM = 1_000_000_000_000L;

    public static final Setting<Long> BASE_NANOS = time("baseNanos", "ns", 11_810_000, 1, "A step without entries.")
        .option("--step-base-nanos", "NS", "Charge a step without entries NS");
    public static final Setting<Long> PER_PREFILL_TOKEN_NANOS =
        time("perPrefillTokenNanos", "ns", 13_600, 0, "Per token of a prefill entry.")
        .option("--prefill-token-nanos", "NS", "Add NS per prefill token");
    public static final Setting<Long> PER_DECODE_ENTRY_NANOS =
        time("perDecodeEntryNanos", "ns", 122_000, 0, "Per decode entry.")
        .option("--decode-entry-nanos", "NS", "Add NS per decoding request");
    public static final Setting<Long> PER_CONTEXT_TOKEN_PICOS =
        time("perContextTokenPicos", "ps", 110_000, 0, "Per token of context of a decode entry.")
        .option("--context-token-picos", "PS",
            "Add PS picoseconds per context token that a decoding request reads");
    public static final List<Setting<?>> SETTINGS =
        List.of(BASE_NANOS, PER_PREFILL_TOKEN_NANOS, PER_DECODE_ENTRY_NANOS, PER_CONTEXT_TOKEN_PICOS);

    /**
     * Each rank is as fast as one measured deployment of Qwen3-235B FP8 on 8 x H100 (TensorRT-LLM 1.0.0rc3, TP 8, EP 8).
     * Decode: the least-squares fit TPOT = 11.81 + 0.122 B + 0.110 B C ms over 63 points (mean error 8.9 %, worst
     * 35 %; B entries, C thousand tokens of context each). Prefill: the slope of TTFT between batches of 64 and 128
     * prompts of 1,024 tokens, (817 - 370) ms over 65,536 tokens, doubled because TTFT is a mean over the batch. The
     * benchmarks' {@code StepCostFit} repeats both on any copy of the measurements.
     */
    public static final StepCost DEFAULT = new StepCost(BASE_NANOS.defaultValue(), PER_PREFILL_TOKEN_NANOS.defaultValue(),
        PER_DECODE_ENTRY_NANOS.defaultValue(), PER_CONTEXT_TOKEN_PICOS.defaultValue());

    private static final long PICOS_PER_NANO = 1000;

    private static Setting<Long> time(
        final String name, final String unit, final long defaultValue, final long min, final String meaning)
    {
        return Setting.number("stepCost." + name, unit, defaultValue, min, MAX_TERM, meaning).remedy("give a time");
    }

    public StepCost
    {
        BASE_NANOS.check(baseNanos);
        PER_PREFILL_TOKEN_NANOS.check(perPrefillTokenNanos);
        PER_DECODE_ENTRY_NANOS.check(perDecodeEntryNanos);
        PER_CONTEXT_TOKEN_PICOS.check(perContextTokenPicos);
    }

    /** @throws ArithmeticException when the step would take longer than a long can hold. */
    public long nanos(final long prefillTokens, final long decodeEntries, final long contextTokens)
    {
        final long prefill = Math.multiplyExact(prefillTokens, perPrefillTokenNanos);
        final long decode = Math.multiplyExact(decodeEntries, perDecodeEntryNanos);
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
}
