// SPDX-License-Identifier: Apache-2.0
package io.signalbox.calibrate;

import io.signalbox.cost.ServedStepCost;
import io.signalbox.cost.StepPart;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.state.RunRequest;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Follows a simulated run: the mean TTFT and TPOT of its requests, divided by the parts of the steps that each request
 * waited for. The opening burst counts as a tenth of the requests, as in a benchmark of ten requests per client.
 */
final class LoopSteps extends StepParts
{
    private static final int PARTS = StepPart.values().length;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double BURST_SHARE = 0.1;

    private final double[][] passed;
    private final Long2ObjectHashMap<Awaited> requests = new Long2ObjectHashMap<>();
    private final int burst;
    /** Of the opening burst, and of the other requests. */
    private final double[][] ttft = new double[2][PARTS];
    private final double[] ttftNanos = new double[2];
    private final int[] started = new int[2];
    private final double[] tpot = new double[PARTS];
    private double tpotNanos;
    private int ended;

    /** A request in flight, with what its rank had computed at its start and at its first token. */
    private static final class Awaited
    {
        private final long submitNanos;
        private final double[][] atSubmit;
        private double[] atFirst;
        private long firstNanos;
        private int rank;

        private Awaited(final long submitNanos, final double[][] atSubmit)
        {
            this.submitNanos = submitNanos;
            this.atSubmit = atSubmit;
        }
    }

    /** @param burst requests that start at once; they have the lowest ids. */
    LoopSteps(final ServedStepCost cost, final int ranks, final int burst)
    {
        super(cost);
        this.burst = burst;
        passed = new double[ranks][PARTS];
    }

    /** The parts are those of one attention group; a step in lock-step takes as long as the slowest group. */
    @Override
    protected void onMeasured(final int rank, final Step step)
    {
        final double sum = Arrays.stream(step.parts()).sum();
        for (int part = 0; part < PARTS; part++)
        {
            passed[rank][part] += step.parts()[part] * step.nanos() / sum;
        }
    }

    @Override
    public void onSubmit(final SubmitDecoder submit)
    {
        final double[][] now = Arrays.stream(passed).map(double[]::clone).toArray(double[][]::new);
        requests.put(submit.requestId(), new Awaited(nowNanos(), now));
    }

    @Override
    public void onFirstToken(final RunRequest first)
    {
        final Awaited request = requests.get(first.id());
        request.rank = first.admittedRank();
        request.firstNanos = nowNanos();
        request.atFirst = passed[request.rank].clone();
        final int kind = first.id() <= burst ? 0 : 1;
        addDifference(ttft[kind], request.atFirst, request.atSubmit[request.rank], 1);
        ttftNanos[kind] += nowNanos() - request.submitNanos;
        started[kind]++;
    }

    @Override
    public void onEnded(final RunRequest last, final FreeDecoder end)
    {
        final Awaited request = requests.remove(end.requestId());
        final int tokens = end.generatedTokens() - 1;
        if (request != null && request.atFirst != null && tokens > 0)
        {
            addDifference(tpot, passed[request.rank], request.atFirst, tokens);
            tpotNanos += (double)(nowNanos() - request.firstNanos) / tokens;
            ended++;
        }
    }

    private static void addDifference(final double[] sums, final double[] after, final double[] before, final int divisor)
    {
        for (int part = 0; part < PARTS; part++)
        {
            sums[part] += (after[part] - before[part]) / divisor;
        }
    }

    double ttftMillis()
    {
        return mean(ttftNanos[0], ttftNanos[1]);
    }

    private double mean(final double ofBurst, final double ofOthers)
    {
        return (BURST_SHARE * ofBurst / started[0] + (1 - BURST_SHARE) * ofOthers / started[1]) / NANOS_PER_MILLI;
    }

    double tpotMillis()
    {
        return tpotNanos / ended / NANOS_PER_MILLI;
    }

    /** Milliseconds by part. */
    double[] ttftParts()
    {
        return IntStream.range(0, PARTS).mapToDouble(part -> mean(ttft[0][part], ttft[1][part])).toArray();
    }

    /** Milliseconds by part. */
    double[] tpotParts()
    {
        return Arrays.stream(tpot).map(sum -> sum / ended / NANOS_PER_MILLI).toArray();
    }
}
