// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.InvariantViolation;
import io.signalbox.Quantiles;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.model.ModelWeights;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * Device time of decode steps and of a prefill of the large model, with keys and values that are not zeros, after steps that
 * let the device raise its clocks; beside it the floor, the time of reading once what the step reads. A captured step tells
 * which experts that are.
 */
final class ModelTimes
{
    /** Steps with separate tokens; they take turns. */
    private static final int RUNS = 6;

    /**
     * How often steps are repeated.
     *
     * @param warmUpMillis of steps before those that count.
     * @param busyBytes    that the device reads until a step is enqueued.
     */
    record Repetitions(double warmUpMillis, int decodes, int prefills, long busyBytes)
    {
        /** Of the warm-up that a step counts at least, so that the warm-up ends. */
        private static final double LEAST_SHARE = 1e-4;
        private static final Repetitions DEVICE = new Repetitions(300.0, 20, 5, BusyDevice.BYTES);
        /** Its times say nothing. */
        private static final Repetitions PROCESSOR = new Repetitions(1.0, 3, 2, 1L << 12);

        static Repetitions of(final CheckConfig options)
        {
            return options.modelLayers() == 0 ? PROCESSOR : DEVICE;
        }

        /** The median of so many steps after the warm-up, which is one step at least. */
        double median(final int count, final DoubleSupplier step)
        {
            for (double past = 0.0; past < warmUpMillis;)
            {
                past += Math.max(step.getAsDouble(), warmUpMillis * LEAST_SHARE);
            }
            final double[] millis = new double[count];
            Arrays.setAll(millis, index -> step.getAsDouble());
            return Quantiles.of(millis, 50);
        }
    }

    private final CheckDevice device;
    private final CheckConfig options;
    private final CheckedModel model;
    private final ModelWeights weights;
    private final ModelFloor floor;
    private final Repetitions repetitions;
    /** Of a step with so many tokens, summed over the layers. */
    private final Map<Integer, Double> experts = new HashMap<>();

    ModelTimes(
        final CheckDevice device, final CheckConfig options, final CheckedModel model, final ModelWeights weights,
        final ModelFloor floor)
    {
        this.device = device;
        this.options = options;
        this.model = model;
        this.weights = weights;
        this.floor = floor;
        repetitions = Repetitions.of(options);
    }

    /**
     * The experts that steps choose, of the batches that have room. The pool is given back before others are taken.
     *
     * @param first of the weights.
     */
    void countExperts(final ModelSteps first, final Findings findings)
    {
        final List<Integer> batches = room().fitting(model.batches(), free());
        try (ModelSteps steps = first.beside(
            options.device(), ModelRoom.sizes(model, batches), KernelFamily.FAST, CaptureForm.FUSED))
        {
            steps.fillCache(options.seed());
            for (final int batch : batches)
            {
                count(findings, steps, batch, model.name() + ": decode of " + batch, decode(model, weights, batch));
            }
            count(findings, steps, model.prefill(), model.name() + ": prefill of " + model.prefill(),
                List.of(prefill(model, weights)));
        }
    }

    private void count(
        final Findings findings, final ModelSteps steps, final int tokens, final String name,
        final List<List<ModelToken>> all)
    {
        double sum = 0.0;
        for (final List<ModelToken> step : all)
        {
            millis(steps, step);
            sum += ModelFloor.distinctExperts(steps.rows(), weights.plan().shape());
        }
        experts.put(tokens, sum / all.size());
        findings.figure(name + ", experts read in a layer", sum / all.size() / weights.plan().moeLayers().size(), "");
    }

    /** The times with kernels of a family; batches without room are named. */
    void measure(final ModelSteps first, final KernelFamily family, final Findings findings)
    {
        final String name = model.name() + (family == KernelFamily.FAST ? ", fast kernels: " : ": ");
        final List<Integer> batches = room().fitting(model.batches(), free());
        room().refuseOthers(name, model.batches(), free(), findings);
        try (BusyDevice busy = new BusyDevice(device, repetitions.busyBytes());
            ModelSteps steps = first.beside(options.device(), ModelRoom.sizes(model, batches), family, null))
        {
            steps.fillCache(options.seed());
            steps.timedAfter(busy);
            for (final int batch : batches)
            {
                final double millis = median(steps, repetitions.decodes(), decode(model, weights, batch));
                report(findings, name + "decode of " + batch + " at context " + model.context(), millis, batch,
                    model.context());
            }
            final double millis = median(steps, repetitions.prefills(), List.of(prefill(model, weights)));
            report(findings, name + "prefill of " + model.prefill(), millis, model.prefill(), 0);
        }
    }

    private ModelRoom room()
    {
        return new ModelRoom(model, floor);
    }

    private long free()
    {
        return device.driver().freeMemoryBytes();
    }

    private double median(final ModelSteps steps, final int count, final List<List<ModelToken>> all)
    {
        final int[] next = {0};
        return repetitions.median(count, () -> millis(steps, all.get(next[0]++ % all.size())));
    }

    /** Of the kernels of one step. */
    private static double millis(final ModelSteps steps, final List<ModelToken> tokens)
    {
        steps.run(tokens);
        if (steps.fault() != null)
        {
            throw new InvariantViolation("a step that was to be timed failed: " + steps.fault());
        }
        return steps.millis();
    }

    /** Without the experts of a step, which a fault of capture may have left uncounted, there is no floor. */
    private void report(
        final Findings findings, final String name, final double millis, final int tokens, final int context)
    {
        findings.figure(name, millis, "ms");
        if (!experts.containsKey(tokens))
        {
            return;
        }
        final double floorMillis = floor.decodeMillis(tokens, context, experts.get(tokens));
        findings.figure(name + ", floor of the bandwidth", floorMillis, "ms");
        findings.figure(name + ", of the floor's speed", 100.0 * floorMillis / millis, "%");
    }

    /** Steps of one token of each sequence at the end of its context. */
    static List<List<ModelToken>> decode(final CheckedModel model, final ModelWeights weights, final int batch)
    {
        final int[][] tables = ModelSection.tables(batch, ModelRoom.perSequence(model.context()));
        final List<List<ModelToken>> steps = new ArrayList<>();
        for (int run = 0; run < RUNS; run++)
        {
            final List<ModelToken> tokens = new ArrayList<>();
            for (int sequence = 0; sequence < batch; sequence++)
            {
                final int id = (7919 * sequence + 101 * run + 5) % weights.plan().vocabulary();
                tokens.add(new ModelToken(id, model.context() - 1, tables[sequence], true));
            }
            steps.add(tokens);
        }
        return steps;
    }

    private static List<ModelToken> prefill(final CheckedModel model, final ModelWeights weights)
    {
        final int[] table = ModelSection.tables(1, ModelRoom.perSequence(model.prefill()))[0];
        final List<ModelToken> tokens = new ArrayList<>();
        for (int i = 0; i < model.prefill(); i++)
        {
            tokens.add(new ModelToken((7919 * i + 5) % weights.plan().vocabulary(), i, table, i == model.prefill() - 1));
        }
        return tokens;
    }
}
