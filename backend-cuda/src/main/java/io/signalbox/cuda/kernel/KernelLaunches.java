// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.CudaDriver.Launch;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.KernelArguments;
import io.signalbox.experts.ModelShape;

/**
 * Launches of the kernels on the memory of one rank, arguments bound and grid sized for up to so many tokens. docs/cuda.md
 * says what each kernel does.
 */
public final class KernelLaunches
{
    private static final int WARP_LANES = 32;
    /** Four tokens a block: enough warps to hide the latency of loads, and small steps still spread over the device. */
    private static final int ROW_THREADS = 128;
    private static final int LOOP_THREADS = 256;
    /** Blocks of kernels that loop: a few for each multiprocessor of the largest devices. */
    private static final int MAX_LOOP_BLOCKS = 1024;
    private static final int FILL_BYTES_PER_THREAD = 16;
    /** Ids that a block of {@code pack_rows} packs at a time. */
    private static final int PACK_IDS = 2048;
    private static final int MAX_ARGUMENTS = 13;

    private final CudaDriver driver;
    private final CudaDriver.KernelModule module;
    private final StepMemory memory;

    public KernelLaunches(final CudaDriver driver, final CudaDriver.KernelModule module, final StepMemory memory)
    {
        this.driver = driver;
        this.module = module;
        this.memory = memory;
    }

    /** Opens a slot after its use: −1 in the rows that the step may have written and in its tokens, zeros in the header. */
    public Launch slotOpen()
    {
        final KernelArguments arguments = results(captureOrNull(step()).int64(memory.slotStride()))
            .int32(memory.layers()).int32(memory.maxTokens()).int32(memory.topK());
        return loop(KernelNames.SLOT_OPEN, (long)memory.layers() * LOOP_THREADS, arguments);
    }

    /** Fills {@code [n][experts]} logits of a layer. */
    public Launch seededLogits(
        final SeededLogits seeded, final ExpertRouterSpec spec, final DeviceMemory logits, final int layer, final int tokens)
    {
        final KernelArguments arguments = step().pointer(logits)
            .int32(spec.type().code()).int32(spec.experts()).int32(layer)
            .int64(seeded.seed()).int32(seeded.levels());
        return rows(KernelNames.LOGITS_SEEDED, tokens, arguments);
    }

    /** Routes, and writes the capture view of a layer as well: the fused form, and the selection beside an opaque kernel. */
    public Launch routeCapturing(
        final ExpertRouterSpec spec, final ExpertRouterMemory router, final int layer, final int tokens)
    {
        final KernelArguments arguments = outputs(router(spec, router), router)
            .pointer(memory.layerView(layer)).int64(memory.slotStride());
        return rows(KernelNames.route(spec), tokens, arguments);
    }

    /** Routes, and leaves the capture view alone. */
    public Launch route(final ExpertRouterSpec spec, final ExpertRouterMemory router, final int tokens)
    {
        final KernelArguments arguments = outputs(router(spec, router), router).nullPointer().int64(0);
        return rows(KernelNames.route(spec), tokens, arguments);
    }

    /**
     * Routes and mixes the experts' outputs, showing no ids.
     *
     * @param expertOutputs {@code [experts][width]} float32.
     * @param mixed         {@code [n][width]} float32.
     */
    public Launch opaque(
        final ExpertRouterSpec spec,
        final ExpertRouterMemory router,
        final DeviceMemory expertOutputs,
        final int width,
        final DeviceMemory mixed,
        final int tokens)
    {
        final KernelArguments arguments =
            router(spec, router).pointer(expertOutputs).int32(width).pointer(mixed);
        return rows(KernelNames.opaque(spec), tokens, arguments);
    }

    /**
     * Copies ids to the capture views of consecutive layers.
     *
     * @param ids {@code [layers][maxTokens][topK]} int32.
     */
    public Launch captureCopy(final DeviceMemory ids, final int firstLayer, final int layers, final int tokens)
    {
        final KernelArguments arguments = step().pointer(ids).int32(layers).int32(memory.maxTokens()).int32(memory.topK())
            .pointer(memory.layerView(firstLayer)).int64(memory.slotStride());
        return loop(KernelNames.CAPTURE_COPY, (long)layers * tokens * memory.topK(), arguments);
    }

    /** Packs the slot's capture view into its result, with header and checksum; without capture these alone. */
    public Launch packRows(final int experts, final int tokens)
    {
        if (memory.weights() != null)
        {
            return packWeightedRows(experts, tokens);
        }
        final long ids = (long)tokens * memory.layers() * memory.topK();
        final KernelArguments arguments = results(captureOrNull(step()).int64(memory.slotStride())
            .int32(memory.layers()).int32(memory.maxTokens()).int32(memory.topK()).int32(experts)
            .int32(memory.idBytes()));
        return loop(KernelNames.PACK_ROWS, ceiling(ids, PACK_IDS) * LOOP_THREADS, arguments);
    }

    private Launch packWeightedRows(final int experts, final int tokens)
    {
        final long rowBytes = (long)memory.layers() * memory.topK() * (memory.idBytes() + ModelShape.WEIGHT_BYTES);
        final KernelArguments arguments = results(step().pointer(memory.capture()).pointer(memory.weights())
            .int64(memory.slotStride()).int32(memory.layers()).int32(memory.maxTokens()).int32(memory.topK())
            .int32(experts).int32(memory.idBytes()));
        return loop(KernelNames.PACK_WEIGHTED_ROWS, ceiling(tokens * rowBytes, Integer.BYTES), arguments);
    }

    /** Samples a token for each entry of the plan, of which there are at most as many as tokens. */
    public Launch sampleSeeded(final long seed, final int tokens)
    {
        return loop(KernelNames.SAMPLE_SEEDED, tokens, results(step().int64(seed)));
    }

    /** Reads memory from end to end, which takes its time. */
    public Launch streamBytes(final DeviceMemory source, final DeviceMemory sink)
    {
        final KernelArguments arguments = step().pointer(source).int64(source.bytes()).pointer(sink);
        return loop(KernelNames.STREAM_BYTES, source.bytes() / FILL_BYTES_PER_THREAD, arguments);
    }

    private KernelArguments step()
    {
        return new KernelArguments(MAX_ARGUMENTS).pointer(memory.step());
    }

    private KernelArguments captureOrNull(final KernelArguments arguments)
    {
        return orNull(arguments, memory.capture());
    }

    private KernelArguments results(final KernelArguments arguments)
    {
        return arguments.pointer(memory.results()).int64(memory.resultStride());
    }

    private KernelArguments router(final ExpertRouterSpec spec, final ExpertRouterMemory router)
    {
        return orNull(step().pointer(router.logits()), router.bias())
            .int32(spec.experts()).int32(spec.topK()).int32(spec.groups()).int32(spec.topGroups())
            .int32(spec.renormalise() ? 1 : 0).float32(spec.scale());
    }

    private static KernelArguments outputs(final KernelArguments arguments, final ExpertRouterMemory router)
    {
        return orNull(orNull(arguments, router.ids()), router.weights());
    }

    private static KernelArguments orNull(final KernelArguments arguments, final DeviceMemory memory)
    {
        return memory == null ? arguments.nullPointer() : arguments.pointer(memory);
    }

    private Launch rows(final String kernel, final int tokens, final KernelArguments arguments)
    {
        final int blocks = (int)ceiling(tokens, ROW_THREADS / WARP_LANES);
        return driver.prepareLaunch(driver.kernel(module, kernel), blocks, ROW_THREADS, 0, arguments);
    }

    private Launch loop(final String kernel, final long threads, final KernelArguments arguments)
    {
        final int blocks = (int)Math.min(MAX_LOOP_BLOCKS, Math.max(1, ceiling(threads, LOOP_THREADS)));
        return driver.prepareLaunch(driver.kernel(module, kernel), blocks, LOOP_THREADS, 0, arguments);
    }

    private static long ceiling(final long value, final int divisor)
    {
        return (value + divisor - 1) / divisor;
    }
}
