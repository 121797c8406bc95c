// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

/**
 * The parts of TPOT and TTFT of a closed loop in milliseconds, before measured deployments scale them. A step decodes
 * {@code concurrency / dataParallel} requests per attention group, and meets on average
 * {@code concurrency / outputTokens} whole prompts.
 */
final class LatencyTerms
{
    /** Names of the parts of TPOT, in order. */
    static final String[] TPOT = {"host", "decodeAttention", "dense", "moe", "collectives", "entries", "promptAttention",
        "promptMoe", "promptCollectives", "promptExperts"};
    /** Names of the parts of TTFT, in order. */
    static final String[] TTFT = {"constant", "step", "prompt", "promptCollectives", "openingBurst", "queue", "promptHost",
        "requests", "clustering", "promptExperts"};
    /** Scales before anything is fitted. */
    static final double[] TPOT_START = {2, 1, 1, 1, 1, 1, 1, 1, 1, 0.3};
    static final double[] TTFT_START = {3, 1, 1.5, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.5};

    static final double HOST_LAYERS = 60;
    static final double MILLIS_PER_ENTRY = 0.01;
    /** Tokens of a step with which engines compute prompts. */
    static final int STEP_TOKENS = 8192;
    private static final double CONSTANT_MILLIS = 10;
    private static final double MILLIS_PER_REQUEST = 0.1;
    /** The opening burst makes a tenth of the requests wait for half of the prompts. */
    private static final double BURST_SHARE = 20;
    private static final double CLUSTERING = 4;
    private static final double MICROS_PER_MILLI = 1000;

    private final KernelTimes times;
    private final Deployment deployment;

    LatencyTerms(final Deployment deployment, final KernelFits fits)
    {
        this.deployment = deployment;
        times = new KernelTimes(deployment, fits);
    }

    private double layersOverSixty()
    {
        return deployment.model().layers() / HOST_LAYERS;
    }

    /** Milliseconds of the kernels of one whole prompt, without collectives and without reading experts. */
    private double[] promptMillis(final int tokens)
    {
        final double attention =
            times.perPrefillToken * tokens + times.perPrefillPair * times.promptPairs(tokens) + times.perDenseToken * tokens;
        return new double[] {attention / MICROS_PER_MILLI, times.moeMicrosPerToken() * tokens / MICROS_PER_MILLI,
            times.perCollectiveToken * tokens / MICROS_PER_MILLI};
    }

    /** Milliseconds to read the experts that decode entries leave untouched, once per step of the prompt. */
    private double untouchedMillis(final ServedPoint point)
    {
        final double untouched = times.expertsPerGroup() - times.touchedExperts(point.concurrency());
        return times.perExpert * untouched * Math.max(1, (double)point.promptTokens() / STEP_TOKENS) / MICROS_PER_MILLI;
    }

    double[] tpot(final ServedPoint point)
    {
        final double entries = (double)point.concurrency() / deployment.parallelism().dataParallel();
        final double context = times.readContext(point.promptTokens() + point.outputTokens() / 2.0);
        final double promptsPerStep = (double)point.concurrency() / point.outputTokens();
        final double groupPrompts = entries / point.outputTokens();
        final double[] prompt = promptMillis(point.promptTokens());
        final double collectiveTokens = point.concurrency();
        return new double[] {
            layersOverSixty(),
            (times.decodeBase + times.perDecodeEntry * entries + times.perContextToken * entries * context) /
                MICROS_PER_MILLI,
            (times.denseBase + times.perDenseToken * entries) / MICROS_PER_MILLI,
            times.moeMicros(point.concurrency()) / MICROS_PER_MILLI,
            (times.collectiveBase + times.perCollectiveToken * collectiveTokens) / MICROS_PER_MILLI,
            entries * MILLIS_PER_ENTRY,
            groupPrompts * prompt[0],
            promptsPerStep * prompt[1],
            promptsPerStep * prompt[2],
            promptsPerStep * untouchedMillis(point)};
    }

    /** @param tpotMillis predicted for the same point. */
    double[] ttft(final ServedPoint point, final double tpotMillis)
    {
        final double[] prompt = promptMillis(point.promptTokens());
        final double kernels = prompt[0] + prompt[1];
        final double whole = kernels + 0.5 * prompt[2];
        final double concurrency = point.concurrency();
        final double load = concurrency * whole / (point.outputTokens() * tpotMillis);
        return new double[] {
            CONSTANT_MILLIS,
            tpotMillis,
            kernels,
            prompt[2],
            concurrency * whole / BURST_SHARE,
            whole * load,
            point.promptTokens() / 1000.0 * layersOverSixty(),
            concurrency * MILLIS_PER_REQUEST,
            Math.sqrt(concurrency) * whole / CLUSTERING,
            untouchedMillis(point)};
    }

    KernelTimes times()
    {
        return times;
    }
}
