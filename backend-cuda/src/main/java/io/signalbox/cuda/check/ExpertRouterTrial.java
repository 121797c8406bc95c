// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.driver.PinnedMemory;
import io.signalbox.cuda.driver.StreamWait;
import io.signalbox.cuda.kernel.ExpertRouterMemory;
import io.signalbox.cuda.kernel.ExpertRouterSpec;
import io.signalbox.cuda.kernel.KernelLaunches;
import io.signalbox.cuda.kernel.LogitsType;
import io.signalbox.cuda.kernel.StepMemory;
import io.signalbox.experts.ModelShape;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/** Routes one batch of random logits on the device, with and without showing ids, and compares every word of the outputs. */
final class ExpertRouterTrial
{
    /** Not a multiple of a warp or a block, and fewer than the grid is made for. */
    static final int TOKENS = 37;
    private static final int GRID_TOKENS = 48;
    private static final int WIDTH = 4;
    private static final int STEP_BYTES = 64;
    private static final int TOKENS_OFFSET = 8;
    private static final int POISON = 0xDEADBEEF;

    private final CheckDevice device;
    private final CudaDriver driver;
    private final CudaDriver.Stream stream;
    private final CheckOracle oracle;
    private final RandomLogits inputs = new RandomLogits();
    private final DeviceMemory step;
    private final Words logits;
    private final Words bias;
    private final Words outputs;
    private final Words ids;
    private final Words weights;
    private final Words capture;
    private final Words mixed;

    ExpertRouterTrial(final CheckDevice device, final DriverResources scratch, final CheckOracle oracle)
    {
        this.device = device;
        this.oracle = oracle;
        driver = device.driver();
        stream = scratch.stream("routers");
        step = scratch.device(STEP_BYTES);
        logits = new Words(scratch, TOKENS * ExpertRouterSpec.MAX_EXPERTS);
        bias = new Words(scratch, ExpertRouterSpec.MAX_EXPERTS);
        outputs = new Words(scratch, ExpertRouterSpec.MAX_EXPERTS * WIDTH);
        ids = new Words(scratch, GRID_TOKENS * ExpertRouterSpec.MAX_TOP_K);
        weights = new Words(scratch, GRID_TOKENS * ExpertRouterSpec.MAX_TOP_K);
        capture = new Words(scratch, GRID_TOKENS * ExpertRouterSpec.MAX_TOP_K / 2);
        mixed = new Words(scratch, GRID_TOKENS * WIDTH);
        final PinnedMemory header = scratch.pinned(STEP_BYTES);
        header.buffer().putInt(TOKENS_OFFSET, TOKENS);
        driver.copyToDevice(step, header, STEP_BYTES, stream);
        StreamWait.await(driver, stream);
    }

    /** @return the first difference, or null. */
    String run(final ExpertRouterSpec spec, final SplittableRandom random)
    {
        final float[][] rows = inputs.draw(TOKENS, spec, random);
        final float[] expertOutputs = inputs.outputs(spec.experts() * WIDTH, random);
        upload(spec, rows, expertOutputs);
        launch(spec);
        return difference(spec, rows, expertOutputs);
    }

    private void upload(final ExpertRouterSpec spec, final float[][] rows, final float[] expertOutputs)
    {
        final ByteBuffer target = logits.host.buffer();
        int at = 0;
        for (final float[] row : rows)
        {
            for (final float logit : row)
            {
                if (spec.type() == LogitsType.BF16)
                {
                    target.putShort(at, (short)(Float.floatToRawIntBits(logit) >>> Short.SIZE));
                }
                else
                {
                    target.putFloat(at, logit);
                }
                at += spec.type().bytes();
            }
        }
        putFloats(outputs.host.buffer(), expertOutputs);
        logits.toDevice();
        outputs.toDevice();
        if (spec.bias() != null)
        {
            putFloats(bias.host.buffer(), spec.bias());
            bias.toDevice();
        }
    }

    private static void putFloats(final ByteBuffer target, final float[] values)
    {
        for (int i = 0; i < values.length; i++)
        {
            target.putFloat(i * Float.BYTES, values[i]);
        }
    }

    private void launch(final ExpertRouterSpec spec)
    {
        for (final Words output : new Words[] {ids, weights, capture, mixed})
        {
            driver.fill(output.device, POISON, output.count, stream);
        }
        final StepMemory memory =
            new StepMemory(step, capture.device, null, 0, null, new ModelShape(1, spec.experts(), spec.topK()), GRID_TOKENS);
        final ExpertRouterMemory router = new ExpertRouterMemory(
            logits.device, spec.bias() == null ? null : bias.device, ids.device, weights.device);
        final KernelLaunches kernels = new KernelLaunches(driver, device.module(), memory);
        driver.launch(kernels.routeCapturing(spec, router, 0, GRID_TOKENS), stream);
        driver.launch(kernels.opaque(spec, router, outputs.device, WIDTH, mixed.device, GRID_TOKENS), stream);
        for (final Words output : new Words[] {ids, weights, capture, mixed})
        {
            driver.copyToHost(output.host, output.device, output.count * (long)Integer.BYTES, stream);
        }
        StreamWait.await(driver, stream);
    }

    private String difference(final ExpertRouterSpec spec, final float[][] rows, final float[] expertOutputs)
    {
        for (int token = 0; token < TOKENS; token++)
        {
            String difference = choiceDifference(spec, rows[token], token);
            difference = difference == null ? mixDifference(spec, rows[token], expertOutputs, token) : difference;
            if (difference != null)
            {
                return difference;
            }
        }
        return untouched(spec);
    }

    private String choiceDifference(final ExpertRouterSpec spec, final float[] row, final int token)
    {
        final int[] expectedIds = new int[spec.topK()];
        final float[] expectedWeights = new float[spec.topK()];
        oracle.route(spec, row, expectedIds, expectedWeights);
        for (int k = 0; k < spec.topK(); k++)
        {
            final int at = token * spec.topK() + k;
            final int captured = capture.host.buffer().getShort(at * Short.BYTES);
            if (ids.get(at) != expectedIds[k] || captured != expectedIds[k] ||
                weights.get(at) != Float.floatToRawIntBits(expectedWeights[k]))
            {
                return place(spec, token) + ", k=" + k + ": expert " + ids.get(at) + ", captured as " + captured +
                    ", weight " + Float.intBitsToFloat(weights.get(at)) + "; the oracle says " + expectedIds[k] + ", " +
                    expectedWeights[k] + ".";
            }
        }
        return null;
    }

    private String mixDifference(
        final ExpertRouterSpec spec, final float[] row, final float[] expertOutputs, final int token)
    {
        final float[] expected = oracle.mix(spec, row, expertOutputs, WIDTH);
        for (int column = 0; column < WIDTH; column++)
        {
            final int bits = mixed.get(token * WIDTH + column);
            if (bits != Float.floatToRawIntBits(expected[column]))
            {
                return place(spec, token) + ": the mixed output " + Float.intBitsToFloat(bits) +
                    " is not the oracle's " + expected[column] + ".";
            }
        }
        return null;
    }

    /** Rows past the real tokens keep the poison. */
    private String untouched(final ExpertRouterSpec spec)
    {
        final int written = TOKENS * spec.topK();
        final boolean kept = ids.isPoisonedFrom(written) && weights.isPoisonedFrom(written) &&
            capture.isPoisonedFrom((written + 1) / 2) && mixed.isPoisonedFrom(TOKENS * WIDTH);
        return kept ? null : place(spec, TOKENS) + ": a kernel wrote past the last real token.";
    }

    private static String place(final ExpertRouterSpec spec, final int token)
    {
        return spec.mode() + " " + spec.type() + ", " + spec.experts() + " experts, top-" + spec.topK() + ", " +
            spec.topGroups() + " of " + spec.groups() + " groups, token " + token;
    }

    /** An array of 32-bit words on the device and in pinned memory. */
    private final class Words
    {
        private final int count;
        private final DeviceMemory device;
        private final PinnedMemory host;

        private Words(final DriverResources scratch, final int count)
        {
            this.count = count;
            device = scratch.device(count * (long)Integer.BYTES);
            host = scratch.pinned(count * (long)Integer.BYTES);
        }

        private void toDevice()
        {
            driver.copyToDevice(device, host, count * (long)Integer.BYTES, stream);
        }

        private int get(final int index)
        {
            return host.buffer().getInt(index * Integer.BYTES);
        }

        private boolean isPoisonedFrom(final int index)
        {
            for (int i = index; i < count; i++)
            {
                if (get(i) != POISON)
                {
                    return false;
                }
            }
            return true;
        }
    }
}
