// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.ConfigException;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.RankSizes;
import io.signalbox.cuda.driver.BoundedCall;
import io.signalbox.cuda.driver.CudaAvailability;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.CudaException;
import io.signalbox.cuda.driver.CudaProbe;
import io.signalbox.cuda.driver.DeviceStuckException;
import io.signalbox.cuda.driver.JCudaBinding;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.ModelWeights;
import io.signalbox.serving.DraftSource;
import io.signalbox.serving.ModelBackend;
import io.signalbox.serving.WeightSets;
import io.signalbox.serving.WeightSets.StepWeights;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs steps on NVIDIA GPUs: a thread for each rank, which launches its steps and reports what comes back. Ranks on one
 * device share its context, kernels and weights; each has its own streams, buffers and capture slots. If weights can be
 * replaced, a device has two sets: new weights go to the set that no step reads, and a switch is the choice of the set for
 * later steps.
 */
public final class CudaBackend implements ModelBackend
{
    /** Loading kernels takes seconds if the driver has to compile them. */
    private static final int START_LIMITS = 12;
    /** The slowest storage that weights are read from, in bytes per nanosecond: 20 MB/s. */
    private static final double LEAST_RATE = 0.02;
    private static final long SLOT_PARK_NANOS = 100_000;

    private final CudaBackendConfig config;
    private final CudaDriver driver;
    private final List<RankThread> threads = new ArrayList<>();
    private final List<WeightSlot> slots = List.of(new WeightSlot(0), new WeightSlot(1));
    /** Null without a model. */
    private final WeightSets<WeightSlot> sets;
    /** The weights of the next step; only the submitting thread uses the field. */
    private StepWeights<WeightSlot> current = new StepWeights<>(slots.get(0), null);
    /** Null before the start and after the close. */
    private volatile RankSet ranks;
    /** The fault of a load that hangs and may still write to its set; null if no load hangs. */
    private volatile String hangingLoad;

    public CudaBackend(final CudaBackendConfig config)
    {
        this(config, new JCudaBinding(config.deviceLimitNanos()));
    }

    /** @param driver the way to the GPU; another than JCuda's, or one that watches it. */
    public CudaBackend(final CudaBackendConfig config, final CudaDriver driver)
    {
        this.config = config;
        this.driver = driver;
        sets = config.plan() == null ? null :
            new WeightSets<>("cuda", config.plan(), config.weightVersion(), slots.get(0));
    }

    /**
     * It captures what its kernels can serve. With a model it reads tokens, and within a layer all keys and values of a step
     * are written before any is read; without one it samples by request and position. Each rank launches as many steps ahead
     * as its capture ring holds. It takes draft tokens if there is a source of guesses, and new weights if the first weights
     * have a version.
     */
    @Override
    public BackendCapabilities capabilities()
    {
        if (sets != null)
        {
            return BackendCapabilities.named("cuda").capturesExperts(true).capturesCombineWeights(true).readsTokens(true)
                .reportsLogprobs(true).masksStopTokens(true).writesKvFirst(true).depth(config.stepsInFlight())
                .draftTokens(config.hasDrafts() ? DraftSource.MOST_TOKENS : 0)
                .swapsWeights(config.weightSets() > 1).maxPositions(config.plan().maxPositions()).build();
        }
        return BackendCapabilities.named("cuda with the kernel set '" + config.kernels().name() + "'")
            .capturesExperts(config.kernels().servesAny()).depth(config.stepsInFlight()).build();
    }

    @Override
    public void sizes(final RankSizes rankSizes)
    {
        config.sized(rankSizes);
    }

    /**
     * @throws ConfigException if there is no GPU, the model's shape is not that of the router, no form of capture can be
     *                         served, or the memory does not suffice; nothing is left allocated then.
     */
    @Override
    public void start(final int rankCount, final ModelShape shape, final CompletionSink completions)
    {
        final CaptureForm form = shape == null ? null : config.chosenForm();
        checkShape(shape);
        checkFamily();
        checkDevices(config, new CudaProbe(driver).probe());
        ranks = BoundedCall.get("the start of the CUDA backend", startLimitNanos(),
            () -> new RankSet(driver, config, rankCount, form, shape, completions));
        final boolean spinning = config.spins(rankCount);
        for (final CudaRank rank : ranks.ranks())
        {
            final RankThread thread = new RankThread(rank, spinning);
            threads.add(thread);
            thread.start();
        }
    }

    private long startLimitNanos()
    {
        final DecoderSetup decoder = config.decoder();
        final long weightBytes = decoder == null ? 0 : decoder.weights().bytes();
        return START_LIMITS * driver.deviceLimitNanos() + (long)(config.devices().size() * weightBytes / LEAST_RATE);
    }

    private void checkShape(final ModelShape shape)
    {
        final ModelShape own = config.shape();
        // Without a model nothing is combined, so that there are no weights.
        final boolean anyWeights = config.decoder() != null;
        if (shape != null && !(anyWeights ? shape.withCombineWeights(false) : shape).equals(own))
        {
            throw ConfigException.because("Capture is asked for ", ModelShape.MOE_LAYERS.of(shape.moeLayers()), " with ",
                    ModelShape.TOP_K.of(shape.topK()), " of ", ModelShape.EXPERTS.of(shape.experts()),
                    ", while the CUDA backend is configured for " + own.moeLayers() + " MoE layers with " + own.topK() +
                        " of " + own.experts() + " experts")
                .allowed(Integer.toString(own.moeLayers())).remedy("give both the same model");
        }
    }

    private void checkFamily()
    {
        if (config.decoder() == null && config.kernelFamily() != KernelFamily.EXACT)
        {
            throw ConfigException.because(CudaBackendConfig.KERNEL_FAMILY.of(config.kernelFamily()),
                    " chooses the kernels of a model's products, and the CUDA backend was given no model")
                .allowed(KernelFamily.EXACT.name()).remedy("give a model, or leave the setting out");
        }
    }

    /** @throws ConfigException if the driver does not offer every device of the configuration. */
    static void checkDevices(final CudaBackendConfig config, final CudaAvailability found)
    {
        if (!found.ready())
        {
            throw new ConfigException("The CUDA backend cannot start: " + found.message());
        }
        for (final int ordinal : config.devices())
        {
            if (ordinal < 0 || ordinal >= found.devices().size())
            {
                final int offered = found.devices().size();
                throw ConfigException.because(CudaBackendConfig.DEVICES.named(), " of the CUDA backend names device " +
                        ordinal + ", and the driver offers " + offered + ", numbered from 0")
                    .allowed("between 0 and " + (offered - 1)).remedy("name one of them");
            }
        }
    }

    @Override
    public void submit(final StepView plan)
    {
        threads.get(plan.rank()).submit(plan, current);
    }

    /**
     * Copies the weights to each device, next to the current weights. First waits for steps in flight that read the target
     * memory, at most as long as the step timeout.
     */
    @Override
    public String prepareWeights(final String name, final ModelWeights weights)
    {
        if (sets == null)
        {
            throw new ConfigException("the CUDA backend computes no model, so there are no weights to replace; give it a " +
                "model.");
        }
        return sets.prepare(name, weights, this::load);
    }

    private WeightSlot load(final ModelWeights weights)
    {
        final RankSet target = ranks;
        if (target == null)
        {
            throw new ConfigException("the CUDA backend has no devices before it is started; start it with the new " +
                "weights, or prepare them later.");
        }
        if (hangingLoad != null)
        {
            throw new ConfigException("an earlier load of weights hangs (" + hangingLoad + "); start another process.");
        }
        final ModelWeights next = config.replacement(weights);
        final WeightSlot slot = freeSlot();
        try
        {
            BoundedCall.run("the load of new weights", startLimitNanos(),
                () -> target.refill(slot.index(), next, sets::isClosed));
            return slot;
        }
        catch (final DeviceStuckException e)
        {
            hangingLoad = e.getMessage();
            throw new ConfigException("the new weights could not be loaded: " + e.getMessage() + "; look at the device.");
        }
        catch (final CudaException e)
        {
            throw new ConfigException("the new weights could not be brought to the device: " + e.getMessage() +
                "; look at the device.");
        }
    }

    private WeightSlot freeSlot()
    {
        final long limitNanos = config.stepTimeoutNanos();
        for (final long begin = System.nanoTime(); System.nanoTime() - begin < limitNanos && !sets.isClosed();
            LockSupport.parkNanos(SLOT_PARK_NANOS))
        {
            for (final WeightSlot slot : slots)
            {
                if (!sets.holds(slot) && slot.isIdle())
                {
                    return slot;
                }
            }
        }
        throw new ConfigException(sets.isClosed() ? "the CUDA backend was closed before it loaded the new weights; start " +
            "another engine with them." : "the memory of the new weights is still in use after " + limitNanos / 1_000_000 +
            " ms, by steps in flight or by weights that were announced; prepare them when these have ended.");
    }

    @Override
    public void expectWeights(final String version)
    {
        if (sets != null)
        {
            sets.expect(version);
        }
    }

    @Override
    public void newWeights(final int generation, final String version)
    {
        if (config.weightSets() == 1)
        {
            ModelBackend.super.newWeights(generation, version);
        }
        current = sets.take(generation, version);
    }

    /** The configured limit: a device that hangs would otherwise keep its requests for as long as the process lives. */
    @Override
    public long stepTimeoutNanos()
    {
        return config.stepTimeoutNanos();
    }

    /**
     * A step that still waits for its launch never runs. One that was launched cannot be called back from a device: its
     * result, should it come, is reported as any other, and the steps of a rank follow one another on one stream, so that a
     * later one begins behind it. A step that took too long may still write into its slot, and its rank into its blocks: the
     * engine leaves the rank alone then. Closing finds out whether the device still answers.
     */
    @Override
    public void abort(final int rank, final long step)
    {
        threads.get(rank).abort(step);
    }

    /** The limit of each wait within {@link #close}, and one limit more. */
    @Override
    public long closeTimeoutNanos()
    {
        return (3 + config.weightSets() + config.devices().size() - 1) * driver.deviceLimitNanos();
    }

    /**
     * Ends the ranks' threads, waits for the work of their devices, and gives everything back.
     *
     * @throws DeviceStuckException if a thread or a device did not end in time: that device is left as it is.
     */
    @Override
    public void close()
    {
        final boolean loading = sets != null && !sets.close(driver.deviceLimitNanos());
        threads.forEach(RankThread::stop);
        final long deadline = System.nanoTime() + driver.deviceLimitNanos();
        for (int rank = 0; rank < threads.size(); rank++)
        {
            final String stuck = threads.get(rank).awaitEnd(Math.max(0, deadline - System.nanoTime()));
            if (stuck != null)
            {
                ranks.get(rank).giveUp(stuck);
            }
        }
        threads.clear();
        if (ranks != null)
        {
            final RankSet closing = ranks;
            ranks = null;
            if (loading || hangingLoad != null)
            {
                closing.ranks().forEach(rank -> rank.giveUp("new weights are still being loaded"));
            }
            BoundedCall.run("the close of the CUDA backend", (1 + closing.deviceCount()) * driver.deviceLimitNanos(),
                closing::close);
        }
    }

    @Override
    public String toString()
    {
        return capabilities() + ": " + config;
    }
}
