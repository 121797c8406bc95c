// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare.incident;

/** A routing incident that users of another system reported, as a scenario and a figure. */
public enum ReportedIncident
{
    SATURATED_ENGINE("I1", "prime-rl #3255",
        "16 sessions on 4 ranks; every fourth is long, and a rank has KV blocks for one long session and three short ones",
        "prompt tokens found cached, of those that an earlier turn computed", Unit.PERCENT, true, 0.5),
    EQUAL_SCORES("I2", "llm-d-router #2515",
        "8 ranks cache the same prefix, and 64 requests with that prefix arrive at one instant",
        "share of the burst on the busiest rank", Unit.PERCENT, false, 0.5),
    WAVES("I3", "llm-d-router #298",
        "100 clients in a closed loop, 400 requests of 800 to 1,000 prompt and output tokens, 8 ranks",
        "requests per second, relative to least-loaded", Unit.PERCENT, true, 0.95),
    COMPLETIONS_AS_LOAD("I4", "production-stack #1073",
        "4 ranks; one computes a long prompt and a long answer while 60 short sessions begin",
        "share of the short sessions on the rank of the long request", Unit.PERCENT, false, 0.3),
    MISSES_ON_ONE_RANK("I5", "sglang #32983",
        "one client at a time sends 64 prompts without a common prefix to 8 ranks",
        "ranks that compute a prompt", Unit.RANKS, true, 4),
    CONVERSATIONS_IN_TURN("I6", "TensorRT-LLM #16294",
        "160 conversations of skewed lengths on 8 ranks in lock-step",
        "computed tokens of the busiest rank over the mean", Unit.TIMES, false, 1.8),
    RETIRING_REQUESTS("I7", "TensorRT-LLM #18457, #17534",
        "4 ranks in lock-step with two steps in flight and 4 running requests each; a burst of 40 requests, then 20 of 8, " +
            "each of which ends after one or two tokens",
        "requests of the busiest rank over the mean", Unit.TIMES, false, 1.5),
    GROUP_OF_SAMPLES("I8", "dynamo #7836, tpu-inference #3307",
        "32 samples of a prompt that one of 8 ranks has cached, 50 ms apart, so that no prompt is pending",
        "share of the group on the busiest rank", Unit.PERCENT, false, 0.5),
    CLOSED_LOOP("I9 closed", "smg #1652",
        "160 conversations of 80 clients on 2 ranks, closed loop",
        "TTFT p90 and the place of the router; the places in I9 open differ", Unit.SECONDS, false, Double.POSITIVE_INFINITY),
    OPEN_LOOP("I9 open", "smg #1652",
        "160 conversations on 2 ranks, open loop",
        "TTFT p90 and the place of the router", Unit.SECONDS, false, Double.POSITIVE_INFINITY);

    /** How a figure is printed. */
    public enum Unit
    {
        /** A share, 0 to 1. */
        PERCENT,
        TIMES,
        RANKS,
        SECONDS
    }

    private final String id;
    private final String source;
    private final String scenario;
    private final String figure;
    private final Unit unit;
    private final boolean below;
    private final double limit;

    ReportedIncident(
        final String id, final String source, final String scenario, final String figure, final Unit unit,
        final boolean below, final double limit)
    {
        this.id = id;
        this.source = source;
        this.scenario = scenario;
        this.figure = figure;
        this.unit = unit;
        this.below = below;
        this.limit = limit;
    }

    /** Short name, the title of its column. */
    public String id()
    {
        return id;
    }

    /** Where it was reported. */
    public String source()
    {
        return source;
    }

    public String scenario()
    {
        return scenario;
    }

    public String figure()
    {
        return figure;
    }

    public Unit unit()
    {
        return unit;
    }

    /** Whether the incident happens below the limit, and not above it. */
    public boolean isBelow()
    {
        return below;
    }

    /** Infinite if the incident compares two loops and no value is an incident. */
    public double limit()
    {
        return limit;
    }

    /** @param value NaN: the run came to a standstill, which is an incident. */
    boolean happens(final double value)
    {
        return Double.isNaN(value) || (below ? value < limit : value > limit);
    }
}
