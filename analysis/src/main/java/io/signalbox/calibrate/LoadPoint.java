// SPDX-License-Identifier: Apache-2.0
package io.signalbox.calibrate;

/**
 * Measured latency of a deployment at a load.
 *
 * @param source       where it was read, for messages.
 * @param promptTokens mean tokens of a prompt, without those of cached prefixes.
 * @param outputTokens mean tokens of an answer.
 * @param concurrency  mean requests in flight, over the whole deployment.
 * @param ttftMillis   mean time to first token; NaN: not measured.
 * @param tpotMillis   mean time per output token after the first.
 */
public record LoadPoint(
    String source, int promptTokens, int outputTokens, int concurrency, double ttftMillis, double tpotMillis)
{
    private static final int MAX_TOKENS = 1 << 24;
    private static final int MAX_CONCURRENCY = 65_536;
    private static final double MAX_MILLIS = 1e7;

    /** Why it is not a measurement, as a clause; {@code null}: it is one. */
    String fault()
    {
        if (promptTokens < 1 || promptTokens > MAX_TOKENS)
        {
            return "prompts of " + promptTokens + " tokens; 1 to " + MAX_TOKENS + " are allowed";
        }
        if (outputTokens < 2 || outputTokens > MAX_TOKENS)
        {
            return "answers of " + outputTokens + " tokens; 2 to " + MAX_TOKENS + " are allowed";
        }
        if (concurrency < 1 || concurrency > MAX_CONCURRENCY)
        {
            return "a concurrency of " + concurrency + "; 1 to " + MAX_CONCURRENCY + " is allowed";
        }
        if (!(tpotMillis > 0) || tpotMillis > MAX_MILLIS)
        {
            return "a TPOT of " + tpotMillis + " ms; a time above 0 is allowed";
        }
        return ttftMillis <= 0 || ttftMillis > MAX_MILLIS ? "a TTFT of " + ttftMillis + " ms; a time above 0 is allowed" :
            null;
    }
}
