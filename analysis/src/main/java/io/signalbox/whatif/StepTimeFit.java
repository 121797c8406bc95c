// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.calibrate.StepParts;
import io.signalbox.cost.NonNegativeLeastSquares;
import io.signalbox.cost.ServedStepCost;
import io.signalbox.cost.StepPart;
import io.signalbox.sim.D2hDelay;
import io.signalbox.sim.StepCost;
import io.signalbox.sim.StepResiduals;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * Fits the costs of a step to the steps of a recorded run: least squares of relative errors, with outliers weighed down,
 * over the numbers by which {@link StepCost} counts. Costs are never negative: a term that would be is left out. How steps
 * differ from the fit is kept, for re-runs to draw from.
 */
final class StepTimeFit extends StepParts
{
    private static final int TERMS = 4;
    private static final int ROUNDS = 8;
    private static final double PICOS_PER_NANO = 1000.0;
    private static final double NANOS_PER_MICRO = 1000.0;
    /** Steps that are kept; of longer runs every second one is dropped, in turn. */
    private static final int MOST_SAMPLES = 1 << 14;
    private static final int MOST_FACTORS = 1 << 12;
    /** Typical errors from which an error counts linearly. */
    private static final double OUTLIER = 3.0;
    private static final double LEAST_ERROR = 1e-9;

    private final List<Sample> samples = new ArrayList<>();
    private long steps;
    private long stride = 1;

    /**
     * A step that was measured.
     *
     * @param work      1, prompt tokens, decode entries, tokens of context.
     * @param nanos     time of the device; if the backend does not say it, the whole time.
     * @param whole     from plan to results; NaN if another step was in flight.
     * @param timeNanos logical time at which it began.
     */
    private record Sample(double[] work, double nanos, double whole, long timeNanos)
    {
        private double modelled(final double[] terms)
        {
            double sum = 0;
            for (int term = 0; term < TERMS; term++)
            {
                sum += terms[term] * work[term];
            }
            return Math.max(1, sum);
        }

        private boolean hasPrompt()
        {
            return work[1] > 0;
        }
    }

    /**
     * The fitted costs and their errors.
     *
     * @param delay     from the results of the device to those of the step.
     * @param explained share of the variance of step times that the costs explain, up to 1 (R²).
     */
    record Fit(StepCost cost, D2hDelay delay, StepResiduals residuals, long steps, double medianErrorPercent,
        double explained)
    {
    }

    StepTimeFit()
    {
        super(ServedStepCost.linear("counts", 1, 1, 1, 1));
    }

    @Override
    protected void onMeasured(final int rank, final Step step)
    {
        if (step.entries() == 0 || step.nanos() <= 0 || steps++ % stride != 0)
        {
            return;
        }
        samples.add(new Sample(new double[] {1, count(step, StepPart.PROMPTS), count(step, StepPart.ENTRIES),
            count(step, StepPart.CONTEXT)}, step.computeNanos() > 0 ? step.computeNanos() : step.nanos(),
            step.isAlone() ? step.nanos() : Double.NaN, nowNanos() - step.nanos()));
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

    private static double count(final Step step, final StepPart part)
    {
        return step.part(part) / NANOS_PER_MICRO;
    }

    /** The costs; {@code null} if no step was measured. */
    Fit fit()
    {
        if (samples.isEmpty())
        {
            return null;
        }
        double[] terms = terms(null, Double.MAX_VALUE);
        for (int round = 0; round < ROUNDS; round++)
        {
            terms = terms(terms, Math.max(LEAST_ERROR, medianError(terms)));
        }
        final double delay = delay();
        final StepCost cost = new StepCost(Math.max(1, Math.round(terms[0])), Math.round(terms[1]), Math.round(terms[2]),
            Math.round(terms[3] * PICOS_PER_NANO));
        final double[] fitted = {cost.baseNanos(), cost.perPrefillTokenNanos(), cost.perDecodeEntryNanos(),
            cost.perContextTokenPicos() / PICOS_PER_NANO};
        return new Fit(cost, new D2hDelay(Math.round(delay), 0, 0), residuals(fitted, delay), steps,
            100 * medianError(fitted), explained(fitted));
    }

    /** Clauses about the parts of other costs that the steps contradict. */
    List<String> contradictions(final StepCost cost)
    {
        final StepTimeCheck check = new StepTimeCheck(null);
        for (final Sample sample : samples)
        {
            final double[] parts = new double[StepPart.values().length];
            parts[StepPart.BASE.ordinal()] = cost.baseNanos();
            parts[StepPart.PROMPTS.ordinal()] = cost.perPrefillTokenNanos() * sample.work[1];
            parts[StepPart.ENTRIES.ordinal()] = cost.perDecodeEntryNanos() * sample.work[2];
            parts[StepPart.CONTEXT.ordinal()] = cost.perContextTokenPicos() / PICOS_PER_NANO * sample.work[3];
            check.add(parts, sample.nanos);
        }
        return check.contradictions();
    }

    private double[] terms(final double[] before, final double typical)
    {
        final double[][] products = new double[TERMS][TERMS];
        final double[] sums = new double[TERMS];
        for (final Sample sample : samples)
        {
            final double error = before == null ? 0 : Math.abs(sample.modelled(before) / sample.nanos - 1);
            final double weight = Math.min(1, OUTLIER * typical / Math.max(LEAST_ERROR, error)) /
                (sample.nanos * sample.nanos);
            for (int i = 0; i < TERMS; i++)
            {
                sums[i] += weight * sample.work[i] * sample.nanos;
                for (int j = 0; j < TERMS; j++)
                {
                    products[i][j] += weight * sample.work[i] * sample.work[j];
                }
            }
        }
        return NonNegativeLeastSquares.solve(products, sums);
    }

    private double delay()
    {
        final double delay = median(sample -> sample.whole - sample.nanos, sample -> !Double.isNaN(sample.whole));
        return Double.isNaN(delay) ? 0 : Math.max(0, delay);
    }

    /** At even distances, such that the time from plan to results is the measured one. */
    private StepResiduals residuals(final double[] terms, final double delay)
    {
        final List<StepResiduals.RecordedStep> recorded = new ArrayList<>();
        final int width = Math.max(1, (samples.size() + MOST_FACTORS - 1) / MOST_FACTORS);
        for (int i = 0; i < samples.size(); i += width)
        {
            final Sample sample = samples.get(i);
            final double nanos = Double.isNaN(sample.whole) ? sample.nanos : Math.max(0, sample.whole - delay);
            recorded.add(new StepResiduals.RecordedStep(
                sample.timeNanos, sample.hasPrompt(), nanos / sample.modelled(terms)));
        }
        return StepResiduals.of(recorded);
    }

    private double medianError(final double[] terms)
    {
        return median(sample -> Math.abs(sample.modelled(terms) / sample.nanos - 1), sample -> true);
    }

    private double explained(final double[] terms)
    {
        final double mean = samples.stream().mapToDouble(Sample::nanos).average().orElse(0);
        double rest = 0;
        double all = 0;
        for (final Sample sample : samples)
        {
            final double error = sample.nanos - sample.modelled(terms);
            rest += error * error;
            all += (sample.nanos - mean) * (sample.nanos - mean);
        }
        return all == 0 ? 1 : 1 - rest / all;
    }

    private double median(final ToDoubleFunction<Sample> value, final Predicate<Sample> ofKind)
    {
        final double[] sorted = samples.stream().filter(ofKind).mapToDouble(value).sorted().toArray();
        final int half = sorted.length / 2;
        return sorted.length == 0 ? Double.NaN : sorted.length % 2 == 1 ? sorted[half] :
            (sorted[half - 1] + sorted[half]) / 2;
    }
}
