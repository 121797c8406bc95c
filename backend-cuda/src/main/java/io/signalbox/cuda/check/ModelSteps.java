// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.RankSizes;
import io.signalbox.cuda.CudaBackendConfig;
import io.signalbox.cuda.DeviceSteps;
import io.signalbox.cuda.StepObserver;
import io.signalbox.cuda.capture.CaptureSlot;
import io.signalbox.cuda.capture.ResultListener;
import io.signalbox.cuda.capture.StepBlock;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.DeviceStuckException;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.driver.PinnedMemory;
import io.signalbox.cuda.driver.StreamWait;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.cuda.kernel.WeightLaunches;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.WeightRecipe;
import io.signalbox.model.WeightType;

import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * Steps of a model on the device, up to two in flight, with the time of the kernels of a step that runs alone. The most
 * probable token is sampled.
 */
final class ModelSteps implements ResultListener, StepObserver, AutoCloseable
{
    private static final long GIVE_UP_NANOS = 30_000_000_000L;
    /** Keys and values are between -1 and 1. */
    private static final float CACHE_UNIT = 0x1p-24f;

    /**
     * Kernels and capture of steps.
     *
     * @param form     of capture; null: capture is disabled.
     * @param captured the contents of rows; null likewise.
     * @param graphs   whether steps run as graphs, or are launched kernel by kernel.
     */
    private record Kind(KernelFamily family, CaptureForm form, ModelShape captured, boolean graphs)
    {
        /** With combine weights in the rows. */
        private static Kind weighed(final KernelFamily family, final ModelWeights weights, final boolean graphs)
        {
            return new Kind(family, CaptureForm.FUSED, weights.plan().shape().withCombineWeights(true), graphs);
        }

        private static Kind of(final KernelFamily family, final CaptureForm form, final ModelWeights weights)
        {
            return new Kind(family, form, form == null ? null : weights.plan().shape(), true);
        }
    }

    private final CheckDevice device;
    private final ModelWeights weights;
    private final RankSizes sizes;
    /** The contents of rows; null if capture is disabled. */
    private final ModelShape captured;
    private final DriverResources owned;
    private final CudaDriver.Event start;
    private final CudaDriver.Event end;
    private final DeviceSteps steps;
    /** For logits; null if the steps are not weighed. */
    private final CudaDriver.Stream copies;
    private final PinnedMemory staged;
    private BusyDevice busy;
    private long step;
    private long completed;
    private int[] sampled;
    private float[] logprobs = {};
    private float[] logits = {};
    private byte[] rows;
    private float[] combineWeights;
    private String fault;

    /** @param form of capture; null: off. */
    ModelSteps(
        final CheckDevice device, final int ordinal, final ModelWeights weights, final RankSizes sizes,
        final KernelFamily family, final CaptureForm form)
    {
        this(device, ordinal, weights, sizes, Kind.of(family, form, weights), null);
    }

    /** As these, with combine weights beside the captured experts, log-probabilities and logits. */
    static ModelSteps weighed(
        final CheckDevice device, final int ordinal, final ModelWeights weights, final RankSizes sizes,
        final KernelFamily family)
    {
        return new ModelSteps(device, ordinal, weights, sizes, Kind.weighed(family, weights, true), null);
    }

    /** The same weights with other buffers, weighed; to be closed before these. */
    ModelSteps weighedBeside(final int ordinal, final RankSizes of, final KernelFamily family)
    {
        return new ModelSteps(device, ordinal, weights, of, Kind.weighed(family, weights, true), steps);
    }

    /** As {@link #weighedBeside}, with the same sizes and without graphs. */
    ModelSteps eager(final int ordinal, final KernelFamily family)
    {
        return new ModelSteps(device, ordinal, weights, sizes, Kind.weighed(family, weights, false), steps);
    }

    /** The same weights with other buffers, kernels and form of capture; to be closed before these. */
    ModelSteps beside(final int ordinal, final RankSizes of, final KernelFamily family, final CaptureForm form)
    {
        return new ModelSteps(device, ordinal, weights, of, Kind.of(family, form, weights), steps);
    }

    private ModelSteps(
        final CheckDevice device, final int ordinal, final ModelWeights weights, final RankSizes sizes, final Kind kind,
        final DeviceSteps first)
    {
        this.device = device;
        this.weights = weights;
        this.sizes = sizes;
        captured = kind.captured();
        owned = new DriverResources(device.driver());
        start = owned.timedEvent();
        end = owned.timedEvent();
        copies = isWeighed() ? owned.stream("logits") : null;
        staged = isWeighed() ? owned.pinned((long)sizes.mostSampled() * weights.plan().vocabulary() * Float.BYTES) : null;
        final CudaBackendConfig config = new CudaBackendConfig().devices(List.of(ordinal)).model(weights)
            .kernelFamily(kind.family()).captureForm(kind.form()).stepsInFlight(StepSetup.STEPS_IN_FLIGHT)
            .stepObserver(this);
        try
        {
            steps = opened(kind.graphs() ? config : config.maxGraphTokens(0), kind, first);
        }
        catch (final RuntimeException | Error e)
        {
            device.makeCurrent();
            owned.closeAfter(e);
            throw e;
        }
    }

    private DeviceSteps opened(final CudaBackendConfig config, final Kind kind, final DeviceSteps first)
    {
        return first == null ? DeviceSteps.ofModel(device.driver(), config, sizes, kind.form(), captured) :
            first.besideModel(config, sizes, kind.form(), captured);
    }

    /** Fills keys and values of all blocks, so that attention does not read the zeros of a new pool. */
    void fillCache(final long seed)
    {
        fillCache(device, steps, weights.plan().type(), seed);
    }

    /** The same for steps of a model of this type. */
    static void fillCache(final CheckDevice device, final DeviceSteps steps, final WeightType type, final long seed)
    {
        try (DriverResources scratch = new DriverResources(device.driver()))
        {
            final CudaDriver.Stream stream = scratch.stream("fill");
            final WeightLaunches launches = new WeightLaunches(device.driver(), device.module());
            long key = seed;
            for (final DeviceMemory memory : steps.keysAndValues())
            {
                device.driver().launch(launches.generate(memory, type, new WeightRecipe(key++, CACHE_UNIT)), stream);
            }
            StreamWait.await(device.driver(), stream);
        }
    }

    /** Has the device work until the kernels of a step are enqueued, so that their time is without the host's. */
    void timedAfter(final BusyDevice before)
    {
        busy = before;
    }

    /** Computes a step and waits for its result. */
    void run(final List<ModelToken> tokens)
    {
        submit(tokens);
        await(step);
        if (isWeighed() && fault == null)
        {
            readLogits();
        }
    }

    /** Gives a step to the device; at most one other may be in flight. Its number, from 1. */
    long submit(final List<ModelToken> tokens)
    {
        fault = completed == step ? null : fault;
        final CaptureSlot slot = steps.ring().tryOpen(++step);
        write(slot.stepBlock(), tokens);
        if (isWeighed())
        {
            slot.stepBlock().wantLogprobs();
        }
        steps.launch(slot);
        return step;
    }

    /** Waits for the result of a step. The results of the class are those of the last step that completed. */
    void await(final long awaited)
    {
        final long since = System.nanoTime();
        while (completed < awaited)
        {
            if (steps.ring().poll(this) == 0)
            {
                Thread.onSpinWait();
                if (System.nanoTime() - since > GIVE_UP_NANOS)
                {
                    throw new DeviceStuckException("step " + awaited + " of the model did not complete within " +
                        GIVE_UP_NANOS / 1_000_000_000L + " s");
                }
            }
        }
    }

    /** The step is over, and the next one does not begin before these have been read. */
    private void readLogits()
    {
        logits = new float[sampled.length * weights.plan().vocabulary()];
        device.driver().copyToHost(staged, steps.logits(), (long)logits.length * Float.BYTES, copies);
        StreamWait.await(device.driver(), copies);
        staged.buffer().duplicate().order(ByteOrder.LITTLE_ENDIAN).clear().asFloatBuffer().get(logits);
    }

    static void write(final StepBlock block, final List<ModelToken> tokens)
    {
        final int entries = (int)tokens.stream().filter(ModelToken::sampled).count();
        int blocks = 0;
        int[] last = null;
        for (final ModelToken token : tokens)
        {
            blocks += token.table() == last ? 0 : token.table().length;
            last = token.table();
        }
        block.begin(0, tokens.size(), entries);
        int entry = 0;
        for (int i = 0; i < tokens.size(); i++)
        {
            block.token(i, 0, tokens.get(i).position());
            if (tokens.get(i).sampled())
            {
                block.entry(entry++, i);
            }
        }
        block.beginFeed(blocks);
        writeFeed(block, tokens);
    }

    private static void writeFeed(final StepBlock block, final List<ModelToken> tokens)
    {
        int entry = 0;
        int begin = 0;
        int next = 0;
        int[] last = null;
        for (int i = 0; i < tokens.size(); i++)
        {
            final ModelToken token = tokens.get(i);
            if (token.table() != last)
            {
                begin = next;
                for (final int id : token.table())
                {
                    block.block(next++, id);
                }
                last = token.table();
            }
            block.feed(i, token.id(), begin);
            if (token.sampled())
            {
                block.sampling(entry++, 0.0f, 0, 1.0f, token.position() + 1, 0);
            }
        }
    }

    /** A step that starts while another step is in flight is not timed. */
    private boolean isAlone()
    {
        return step - completed == 1;
    }

    @Override
    public void beforeKernels(final long of, final CudaDriver.Stream compute)
    {
        if (isAlone())
        {
            if (busy != null)
            {
                busy.work(compute);
            }
            device.driver().record(start, compute);
        }
    }

    @Override
    public void afterKernels(final long of, final CudaDriver.Stream compute)
    {
        if (isAlone())
        {
            device.driver().record(end, compute);
        }
    }

    @Override
    public void completed(
        final CaptureSlot slot, final int[] sampledTokens, final int sampledCount, final CaptureSlice slice)
    {
        completed = slot.step();
        sampled = Arrays.copyOf(sampledTokens, sampledCount);
        if (isWeighed())
        {
            logprobs = new float[sampledCount];
            for (int i = 0; i < sampledCount; i++)
            {
                logprobs[i] = slot.logprob(i);
            }
        }
        rows = slice == null ? new byte[0] : ids(slice, captured);
        combineWeights = new float[slice == null || !isWeighed() ? 0 : slice.rowCount() * captured.rowIds()];
        if (slice != null)
        {
            readWeights(slice);
            slice.release();
        }
    }

    private boolean isWeighed()
    {
        return captured != null && captured.combineWeights();
    }

    /** The expert ids of all rows, in storage width and without combine weights. */
    static byte[] ids(final CaptureSlice slice, final ModelShape shape)
    {
        final int idsBytes = shape.idsBytes();
        final byte[] ids = new byte[slice.rowCount() * idsBytes];
        for (int row = 0; row < slice.rowCount(); row++)
        {
            slice.buffer().getBytes(slice.offset() + row * slice.rowBytes(), ids, row * idsBytes, idsBytes);
        }
        return ids;
    }

    private void readWeights(final CaptureSlice slice)
    {
        final int weightsOfRow = combineWeights.length / slice.rowCount();
        for (int row = 0; row < slice.rowCount(); row++)
        {
            final int at = slice.offset() + row * slice.rowBytes() + captured.idsBytes();
            for (int i = 0; i < weightsOfRow; i++)
            {
                combineWeights[row * weightsOfRow + i] =
                    slice.buffer().getFloat(at + Float.BYTES * i, ByteOrder.LITTLE_ENDIAN);
            }
        }
    }

    @Override
    public void failed(final CaptureSlot slot, final String sentence)
    {
        completed = slot.step();
        fault = fault == null ? sentence : fault;
    }

    /** Why the last step, or one in flight with it, has no result; null: it has one. */
    String fault()
    {
        return fault;
    }

    /** Tokens that the last step sampled. */
    int[] sampled()
    {
        return sampled;
    }

    /** Routed experts of the last step in storage width; empty if capture is off. */
    byte[] rows()
    {
        return rows;
    }

    /** Of the experts of {@link #rows}; empty if these are not {@link #weighed}. */
    float[] combineWeights()
    {
        return combineWeights;
    }

    /** Of {@link #sampled} tokens; empty if these are not {@link #weighed}. */
    float[] logprobs()
    {
        return logprobs;
    }

    /** Of each of {@link #sampled} tokens all logits; empty if these are not {@link #weighed}. */
    float[] logits()
    {
        return logits;
    }

    /** The time of the kernels of the last step that ran alone, on the device's clock. */
    double millis()
    {
        return device.driver().elapsedMillis(start, end);
    }

    RankSizes sizes()
    {
        return sizes;
    }

    /** The device's context stays current for the thread. */
    @Override
    public void close()
    {
        steps.close();
        device.makeCurrent();
        owned.close();
    }
}
