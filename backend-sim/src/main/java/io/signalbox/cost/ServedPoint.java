// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

/**
 * A measured point of a closed loop at a fixed number of concurrent requests.
 *
 * @param promptTokens nominal tokens of a prompt.
 * @param outputTokens nominal tokens of an answer.
 * @param concurrency  requests in flight, over the whole deployment.
 * @param ttftMillis   mean time to first token; NaN: not measured.
 * @param tpotMillis   mean time per output token; NaN: not measured.
 */
public record ServedPoint(
    Deployment deployment,
    int promptTokens,
    int outputTokens,
    int concurrency,
    double ttftMillis,
    double tpotMillis)
{
    /** The points of one curve over the concurrency. */
    public String group()
    {
        return deployment.configuration() + "|" + promptTokens + "|" + outputTokens;
    }
}
