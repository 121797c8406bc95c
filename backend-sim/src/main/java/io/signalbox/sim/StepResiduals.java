// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.workload.SplitMix64;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * How recorded steps differ from their modelled times, as factors. A simulated step draws one of the recorded steps of its
 * kind around its own time, by seed, rank and step, so that a slow phase of the record stays at its time.
 */
public final class StepResiduals
{
    private static final long MILLION = 1_000_000L;
    private static final long STREAM = 0x7265736964756CL;
    private static final double MOST = 1000;
    /** Recorded steps among which a simulated one draws. */
    private static final int NEIGHBOURS = 4;

    private final Kind decode;
    private final Kind prompt;

    /**
     * A recorded step.
     *
     * @param timeNanos logical time at which it began.
     * @param hasPrompt whether it had tokens of a prompt.
     * @param factor    measured over modelled time.
     */
    public record RecordedStep(long timeNanos, boolean hasPrompt, double factor)
    {
    }

    /** Steps of one kind by their time. */
    private record Kind(long[] times, long[] millionths)
    {
        private static Kind of(final List<RecordedStep> steps, final boolean hasPrompt)
        {
            final List<RecordedStep> sorted = steps.stream().filter(step -> step.hasPrompt == hasPrompt)
                .sorted(Comparator.comparingLong(RecordedStep::timeNanos)).toList();
            return new Kind(sorted.stream().mapToLong(RecordedStep::timeNanos).toArray(), sorted.stream().mapToLong(step ->
                Math.round(Math.min(MOST, Math.max(0, step.factor)) * MILLION)).toArray());
        }

        private Kind from(final long startNanos)
        {
            return new Kind(Arrays.stream(times).map(time -> time - startNanos).toArray(), millionths);
        }

        private long factor(final long nowNanos, final long draw)
        {
            final int found = Arrays.binarySearch(times, nowNanos);
            final int count = Math.min(NEIGHBOURS, times.length);
            final int first = Math.max(0, Math.min((found < 0 ? -found - 1 : found) - count / 2, times.length - count));
            return millionths[first + (int)Long.remainderUnsigned(draw, count)];
        }
    }

    private StepResiduals(final Kind decode, final Kind prompt)
    {
        this.decode = decode;
        this.prompt = prompt;
    }

    /** @param steps in any order; without a step of a kind, such steps take as long as modelled. */
    public static StepResiduals of(final List<RecordedStep> steps)
    {
        return new StepResiduals(Kind.of(steps, false), Kind.of(steps, true));
    }

    /** For a simulation that begins at a logical time of the record. */
    public StepResiduals from(final long startNanos)
    {
        return new StepResiduals(decode.from(startNanos), prompt.from(startNanos));
    }

    /** The time of a step that the model gives {@code modelled} nanoseconds; at least 1. */
    long nanos(final long modelled, final boolean hasPrompt, final long nowNanos, final long key)
    {
        final Kind kind = hasPrompt ? prompt : decode;
        if (kind.times.length == 0)
        {
            return modelled;
        }
        final long factor = kind.factor(nowNanos, SplitMix64.mix(key, STREAM));
        // Divided first, since the product may not fit.
        final long rest = modelled % MILLION * factor / MILLION;
        return Math.max(1, Math.addExact(Math.multiplyExact(modelled / MILLION, factor), rest));
    }

    /** Number of factors and a hash of them, for a run description. */
    public String text()
    {
        return (decode.times.length + prompt.times.length) + " factors, hash " + Integer.toHexString(
            31 * Arrays.hashCode(decode.millionths) + Arrays.hashCode(prompt.millionths));
    }
}
