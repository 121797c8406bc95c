// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.calibrate.StepParts;
import io.signalbox.cost.PartFit;
import io.signalbox.cost.ServedStepCost;
import io.signalbox.cost.StepPart;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Finds the parts of a cost that the recorded steps contradict: the scales with which it would fit them differ from 1. The
 * scales are fitted to several parts of the steps, whose spread says what is chance.
 */
final class StepTimeCheck extends StepParts
{
    private static final int MOST_SAMPLES = 1 << 10;
    private static final int FITS = 8;
    private static final int LEAST_SAMPLES = 8 * FITS;
    /** Smallest mean of the logarithms over its standard error: a false alarm in 100 parts, with 7 degrees of freedom. */
    private static final double SIGNIFICANT = 3.5;
    private static final double DEVIATION = 1.0;
    private static final double NOISE = 0.05;
    private static final double NANOS_PER_MILLI = 1e6;
    /** Smallest difference of a scale from 1 that is reported, as a factor. */
    private static final double LEAST_FACTOR = 1.25;
    /** Smallest change of a typical step that is reported. */
    private static final double LEAST_EFFECT = 0.02;
    private static final Map<StepPart, String> TITLES = new EnumMap<>(Map.of(
        StepPart.BASE, "the base of a step", StepPart.ENTRIES, "decode entries", StepPart.CONTEXT, "context",
        StepPart.EXPERTS, "experts", StepPart.PROMPTS, "prompt tokens", StepPart.PROMPT_STEPS, "steps with prompts"));

    private final Kept decode = new Kept();
    private final Kept prompts = new Kept();

    /** Steps of one kind at even distances: prompts are rare, and must not drown. */
    private static final class Kept
    {
        private final List<Sample> samples = new ArrayList<>();
        private long steps;
        private long stride = 1;

        private void add(final Sample sample)
        {
            if (steps++ % stride != 0)
            {
                return;
            }
            samples.add(sample);
            if (samples.size() == MOST_SAMPLES)
            {
                for (int i = 0; i < MOST_SAMPLES / 2; i++)
                {
                    samples.set(i, samples.get(2 * i));
                }
                samples.subList(MOST_SAMPLES / 2, MOST_SAMPLES).clear();
                stride *= 2;
            }
        }
    }

    /** A step: milliseconds by part, and measured. */
    private record Sample(double[] parts, double millis)
    {
    }

    StepTimeCheck(final ServedStepCost cost)
    {
        super(cost);
    }

    @Override
    protected void onMeasured(final int rank, final Step step)
    {
        final long nanos = step.computeNanos() > 0 ? step.computeNanos() : step.nanos();
        if (step.entries() > 0 && nanos > 0)
        {
            add(step.parts(), nanos);
        }
    }

    /** @param parts nanoseconds by part. */
    void add(final double[] parts, final double nanos)
    {
        final Kept kind = parts[StepPart.PROMPTS.ordinal()] > 0 ? prompts : decode;
        kind.add(new Sample(
            Arrays.stream(parts).map(part -> part / NANOS_PER_MILLI).toArray(), nanos / NANOS_PER_MILLI));
    }

    /** A clause for each part that is wrong; empty if there is none, or too few steps were measured. */
    List<String> contradictions()
    {
        final List<String> clauses = new ArrayList<>();
        final List<Sample> samples = new ArrayList<>(decode.samples);
        samples.addAll(prompts.samples);
        if (samples.size() < LEAST_SAMPLES)
        {
            return clauses;
        }
        final double[][] scales = new double[FITS][];
        Arrays.setAll(scales, first -> scales(samples, first));
        for (final StepPart part : StepPart.values())
        {
            final double scale = StrictMath.exp(significantLogarithm(scales, part.ordinal()));
            final boolean differs = scale > LEAST_FACTOR || scale < 1 / LEAST_FACTOR;
            if (differs && share(samples, part) * Math.abs(scale - 1) > LEAST_EFFECT)
            {
                clauses.add(TITLES.get(part) + " cost " + String.format(Locale.ROOT, "%.2f", 1 / scale) +
                    " times what the recorded steps took");
            }
        }
        return clauses;
    }

    /** Of every eighth step. */
    private static double[] scales(final List<Sample> samples, final int first)
    {
        final PartFit fit = new PartFit(DEVIATION, NOISE);
        for (int i = first; i < samples.size(); i += FITS)
        {
            fit.add(samples.get(i).parts, samples.get(i).millis);
        }
        return fit.scales();
    }

    /** Mean logarithm of a part's scales; 0 if it may be chance. */
    private static double significantLogarithm(final double[][] scales, final int part)
    {
        double sum = 0;
        double squares = 0;
        for (final double[] each : scales)
        {
            final double logarithm = StrictMath.log(each[part]);
            sum += logarithm;
            squares += logarithm * logarithm;
        }
        final double mean = sum / FITS;
        final double variance = Math.max(0, squares / FITS - mean * mean) / (FITS - 1);
        return Math.abs(mean) > SIGNIFICANT * Math.sqrt(variance) ? mean : 0;
    }

    /** Mean share of the part in the measured times of the steps that have it, as the cost has it. */
    private static double share(final List<Sample> samples, final StepPart part)
    {
        return samples.stream().filter(sample -> sample.parts[part.ordinal()] > 0)
            .mapToDouble(sample -> sample.parts[part.ordinal()] / sample.millis).average().orElse(0);
    }
}
