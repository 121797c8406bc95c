// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.BoundedCall;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.WeightType;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The model of OLMoE-1B-7B's shape, whose weights the device makes once for all parts. Times come first: while Java makes
 * its copy of the weights, an idle device lowers its clocks. A part takes keys and values for itself and gives them back.
 */
final class LargeModel
{
    /** Of the heap, for weights: the forward pass takes some, too. */
    private static final double HEAP_SHARE = 0.8;
    private static final double JAVA_SECONDS = 30.0;
    private static final double JAVA_LAYER_SECONDS = 10.0;

    private final CheckDevice device;
    private final CheckConfig options;
    private final Findings findings;
    private final CheckedModel model;
    private final ModelWeights weights;

    LargeModel(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        this.device = device;
        this.options = options;
        this.findings = findings;
        model = CheckedModel.large(options.modelLayers());
        weights = GeneratedModel.weights(model.plan(WeightType.BF16), options.seed());
    }

    /** How long Java may take to make its weights and to compute with them. */
    static double javaSeconds(final CheckConfig options)
    {
        return JAVA_SECONDS + JAVA_LAYER_SECONDS * options.modelLayers();
    }

    void run()
    {
        final double bandwidth = new StepLength(device).bytesPerSecond();
        final ModelFloor floor = new ModelFloor(weights.plan(), bandwidth);
        final ModelRoom room = new ModelRoom(model, floor);
        findings.figure("bandwidth of reads", bandwidth / 1e9, "GB/s");
        final double free = device.driver().freeMemoryBytes() * ModelRoom.MEMORY_SHARE;
        if (floor.weightBytes() + room.poolBytes(model.batches().get(0)) >= free)
        {
            findings.notRun(String.format(Locale.ROOT, "%s needs %.1f GB for its weights, and this check takes %.1f GB of " +
                "what is free on the device; give fewer --model-layers.", model.name(), floor.weightBytes() / 1e9,
                free / 1e9));
            return;
        }
        try (ModelSteps steps = new ModelSteps(device, options.device(), weights, ModelSection.sizes(ComparedSteps.BLOCKS,
            ComparedSteps.SEQUENCES * ComparedSteps.CHUNK_TOKENS, ComparedSteps.SEQUENCES), KernelFamily.EXACT,
            CaptureForm.FUSED))
        {
            time(steps, floor, room);
            findings.publish();
            findings.part("large model, fast kernels against exact ones",
                () -> FastKernels.compareLarge(options, model, steps, findings));
            findings.part("large model, places at the end of the context", () -> placesAtContext(steps, room));
            findings.publish();
            findings.part("large model against Java", () -> compareWithJava(steps, floor.weightBytes()));
        }
    }

    private void time(final ModelSteps steps, final ModelFloor floor, final ModelRoom room)
    {
        final ModelTimes times = new ModelTimes(device, options, model, weights, floor);
        findings.part("experts of timed steps", () -> times.countExperts(steps, findings));
        findings.part("times of the fast kernels", () -> times.measure(steps, KernelFamily.FAST, findings));
        findings.publish();
        findings.part("forms of capture", () -> forms(steps, room));
        findings.publish();
        findings.part("times of the exact kernels", () -> times.measure(steps, KernelFamily.EXACT, findings));
        findings.note("Generated weights, keys and values. The floor is the time of reading once what a step reads: of " +
            "the experts those that captured steps chose. Times are without the host's.");
    }

    private void forms(final ModelSteps steps, final ModelRoom room)
    {
        final int batch = model.formsBatch();
        final double needed = ModelForms.POOLS * (double)room.poolBytes(batch);
        final double free = device.driver().freeMemoryBytes() * ModelRoom.MEMORY_SHARE;
        if (needed > free)
        {
            findings.notRun(String.format(Locale.ROOT, "The forms of capture need %.1f GB for keys and values, and this " +
                "check takes %.1f GB of what is free on the device.", needed / 1e9, free / 1e9));
            return;
        }
        new ModelForms(device, options, model, weights).compare(
            options, steps, ModelSection.sizes(ModelRoom.blocks(model, batch), batch, batch), findings);
    }

    /** Rows and logits of the steps that were timed. */
    private void placesAtContext(final ModelSteps steps, final ModelRoom room)
    {
        final int batch = model.formsBatch();
        final double free = device.driver().freeMemoryBytes() * ModelRoom.MEMORY_SHARE;
        if (room.poolBytes(batch) > free)
        {
            findings.notRun(String.format(Locale.ROOT, "Places at context %d need %.1f GB for keys and values, and this " +
                "check takes %.1f GB of what is free on the device.", model.context(), room.poolBytes(batch) / 1e9,
                free / 1e9));
            return;
        }
        FastPlaces.compareAtContext(
            options, model, ModelTimes.decode(model, weights, batch).get(0), steps, findings);
    }

    /** Java has a copy of the weights on its heap. */
    private void compareWithJava(final ModelSteps steps, final long weightBytes)
    {
        final long heap = Runtime.getRuntime().maxMemory();
        if (weightBytes > heap * HEAP_SHARE)
        {
            findings.notRun(String.format(Locale.ROOT, "%s was not compared with Java, which needs %.1f GB of heap and " +
                "has %.1f; give it more (-Xmx in JDK_JAVA_OPTIONS), or fewer --model-layers.", model.name(),
                weightBytes / HEAP_SHARE / 1e9, heap / 1e9));
            return;
        }
        final ComparedSteps compared = new ComparedSteps(model.name(), steps, weights.plan().vocabulary());
        inJava(model.name(), javaSeconds(options),
            abandoned -> compared.compareWithJava(weights, abandoned, findings), findings);
    }

    /**
     * Runs what Java computes without the device, on a separate thread. If that takes too long, the device has
     * answered nevertheless, so the section is not stuck and keeps its findings.
     */
    static void inJava(
        final String name, final double seconds, final Consumer<BooleanSupplier> computation, final Findings findings)
    {
        final AtomicBoolean abandoned = new AtomicBoolean();
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final Thread thread = new Thread(() -> computation.accept(abandoned::get), "signalbox-check-java");
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((of, e) -> failure.set(e));
        thread.start();
        if (!BoundedCall.join(thread, (long)(seconds * TimeUnit.SECONDS.toNanos(1))))
        {
            abandoned.set(true);
            findings.notRun(String.format(Locale.ROOT, "%s was not compared with Java, which did not end within %.0f s; " +
                "the device computed its steps.", name, seconds));
        }
        else if (failure.get() != null)
        {
            findings.failed(name + " in Java: " + Findings.sentence(failure.get()));
        }
    }
}
