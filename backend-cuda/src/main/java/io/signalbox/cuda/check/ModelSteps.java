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
import io.signalbox.cuda.driver.DeviceStuckException;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.driver.PinnedMemory;
import io.signalbox.cuda.driver.StreamWait;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.ModelWeights;

import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/** Steps of a model on the device, one at a time, with the time of their kernels. The most probable token is sampled. */
final class ModelSteps implements ResultListener, StepObserver, AutoCloseable
{
    private static final long GIVE_UP_NANOS = 30_000_000_000L;

    private final CheckDevice device;
    private final ModelWeights weights;
    private final RankSizes sizes;
    /** The contents of rows; null if capture is off. */
    private final ModelShape captured;
    private final DriverResources owned;
    private final CudaDriver.Event start;
    private final CudaDriver.Event end;
    private final DeviceSteps steps;
    /** For logits; null if the steps are not weighed. */
    private final CudaDriver.Stream copies;
    private final PinnedMemory staged;
    private long step;
    private boolean arrived;
    private int[] sampled;
    private float[] logprobs = {};
    private float[] logits = {};
    private byte[] rows;
    private float[] combineWeights;
    private String fault;

    /** @param form of capture; null: off. */
    ModelSteps(
        final CheckDevice device, final int ordinal, final ModelWeights weights, final RankSizes sizes,
        final CaptureForm form)
    {
        this(device, ordinal, weights, sizes, form, KernelFamily.EXACT, form == null ? null : weights.plan().shape(), null);
    }

    /** As these, with combine weights beside the captured experts, log-probabilities and logits. */
    static ModelSteps weighed(
        final CheckDevice device, final int ordinal, final ModelWeights weights, final RankSizes sizes)
    {
        return new ModelSteps(device, ordinal, weights, sizes, CaptureForm.FUSED, KernelFamily.EXACT,
            weights.plan().shape().withCombineWeights(true), null);
    }

    /** The same weights with other buffers, weighed; to be closed before these. */
    ModelSteps weighedBeside(final int ordinal, final RankSizes of)
    {
        return new ModelSteps(device, ordinal, weights, of, CaptureForm.FUSED, KernelFamily.EXACT,
            weights.plan().shape().withCombineWeights(true), steps);
    }

    /** The same weights with other buffers and another form of capture; to be closed before these. */
    ModelSteps beside(final int ordinal, final RankSizes of, final CaptureForm form)
    {
        return new ModelSteps(device, ordinal, weights, of, form, KernelFamily.EXACT,
            form == null ? null : weights.plan().shape(), steps);
    }

    /** The same with other buffers, the fast kernels and the same rows; to be closed before these. */
    ModelSteps fast(final int ordinal)
    {
        return new ModelSteps(device, ordinal, weights, sizes, CaptureForm.FUSED, KernelFamily.FAST, captured, steps);
    }

    /** The same weights with other buffers and the fast kernels, without capture; to be closed before these. */
    ModelSteps fast(final int ordinal, final RankSizes of)
    {
        return new ModelSteps(device, ordinal, weights, of, null, KernelFamily.FAST, null, steps);
    }

    private ModelSteps(
        final CheckDevice device, final int ordinal, final ModelWeights weights, final RankSizes sizes,
        final CaptureForm form, final KernelFamily family, final ModelShape captured, final DeviceSteps first)
    {
        this.device = device;
        this.weights = weights;
        this.sizes = sizes;
        this.captured = captured;
        owned = new DriverResources(device.driver());
        start = owned.timedEvent();
        end = owned.timedEvent();
        copies = isWeighed() ? owned.stream("logits") : null;
        staged = isWeighed() ? owned.pinned((long)sizes.mostSampled() * weights.plan().vocabulary() * Float.BYTES) : null;
        final CudaBackendConfig config = new CudaBackendConfig().devices(List.of(ordinal)).model(weights)
            .kernelFamily(family).captureForm(form).stepObserver(this);
        try
        {
            steps = first == null ? DeviceSteps.ofModel(device.driver(), config, sizes, form, captured) :
                first.besideModel(config, sizes, form, captured);
        }
        catch (final RuntimeException | Error e)
        {
            device.makeCurrent();
            owned.closeAfter(e);
            throw e;
        }
    }

    /** Computes a step and waits for its result. */
    void run(final List<ModelToken> tokens)
    {
        final CaptureSlot slot = steps.ring().tryOpen(++step);
        write(slot.stepBlock(), tokens);
        if (isWeighed())
        {
            slot.stepBlock().wantLogprobs();
        }
        arrived = false;
        steps.launch(slot);
        final long since = System.nanoTime();
        while (!arrived)
        {
            if (steps.ring().poll(this) == 0)
            {
                Thread.onSpinWait();
                if (System.nanoTime() - since > GIVE_UP_NANOS)
                {
                    throw new DeviceStuckException("a step of " + tokens.size() + " tokens of the model did not complete " +
                        "within " + GIVE_UP_NANOS / 1_000_000_000L + " s");
                }
            }
        }
        if (isWeighed() && fault == null)
        {
            readLogits();
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
        block.beginFeed(0, blocks);
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

    @Override
    public void beforeKernels(final long of, final CudaDriver.Stream compute)
    {
        device.driver().record(start, compute);
    }

    @Override
    public void afterKernels(final long of, final CudaDriver.Stream compute)
    {
        device.driver().record(end, compute);
    }

    @Override
    public void completed(
        final CaptureSlot slot, final int[] sampledTokens, final int sampledCount, final CaptureSlice slice)
    {
        arrived = true;
        fault = null;
        sampled = Arrays.copyOf(sampledTokens, sampledCount);
        if (isWeighed())
        {
            logprobs = new float[sampledCount];
            for (int i = 0; i < sampledCount; i++)
            {
                logprobs[i] = slot.logprob(i);
            }
        }
        rows = new byte[slice == null ? 0 : slice.rowCount() * captured.idsBytes()];
        combineWeights = new float[slice == null || !isWeighed() ? 0 : slice.rowCount() * captured.rowIds()];
        if (slice != null)
        {
            read(slice);
            slice.release();
        }
    }

    private boolean isWeighed()
    {
        return captured != null && captured.combineWeights();
    }

    private void read(final CaptureSlice slice)
    {
        final int idsBytes = captured.idsBytes();
        final int weightsOfRow = combineWeights.length / slice.rowCount();
        for (int row = 0; row < slice.rowCount(); row++)
        {
            final int at = slice.offset() + row * slice.rowBytes();
            slice.buffer().getBytes(at, rows, row * idsBytes, idsBytes);
            for (int i = 0; i < weightsOfRow; i++)
            {
                combineWeights[row * weightsOfRow + i] =
                    slice.buffer().getFloat(at + idsBytes + Float.BYTES * i, ByteOrder.LITTLE_ENDIAN);
            }
        }
    }

    @Override
    public void failed(final CaptureSlot slot, final String sentence)
    {
        arrived = true;
        fault = sentence;
    }

    /** Why the last step has no result, or null. */
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

    /** Of the last step's kernels, on the device's clock. */
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
