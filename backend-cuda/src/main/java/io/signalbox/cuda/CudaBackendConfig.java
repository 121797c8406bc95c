// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.ConfigException;
import io.signalbox.cuda.capture.CaptureRingConfig;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.KernelSet;
import io.signalbox.cuda.kernel.LogitsType;
import io.signalbox.cuda.kernel.ExpertRouterMode;
import io.signalbox.cuda.kernel.ExpertRouterSpec;
import io.signalbox.cuda.kernel.SeededLogits;
import io.signalbox.experts.ModelShape;

import java.util.List;
import java.util.function.LongSupplier;

/** Configuration of a {@link CudaBackend}, validated when the backend starts. */
public final class CudaBackendConfig
{
    public static final int MAX_STEPS_IN_FLIGHT = CaptureRingConfig.MAX_STEPS_IN_FLIGHT;
    private static final int ENGINE_THREADS = 4;
    private static final int DEFAULT_EXPERTS = 128;
    private static final int DEFAULT_TOP_K = 8;

    private List<Integer> devices = List.of(0);
    private ExpertRouterSpec router =
        ExpertRouterSpec.plain(DEFAULT_EXPERTS, DEFAULT_TOP_K, ExpertRouterMode.SOFTMAX_TOPK, LogitsType.BF16);
    private int moeLayers = 48;
    private KernelSet kernels = KernelSet.OPEN;
    private CaptureForm captureForm;
    private int maxStepTokens = 8192;
    private int maxGraphTokens = 256;
    private int stepsInFlight = 2;
    private SeededLogits logits = new SeededLogits(1, SeededLogits.MAX_LEVELS);
    private long streamedBytesPerLayer;
    private FaultPolicy faultPolicy = FaultPolicy.LOSE_RANK;
    private Waiting waiting = Waiting.AUTOMATIC;
    private StepObserver stepObserver;
    private long stepTimeoutNanos = 30_000_000_000L;
    private long deviceLimitNanos = 10_000_000_000L;
    private LongSupplier clock = System::nanoTime;

    /** How the thread of a rank waits while a step is in flight; without one it sleeps until a plan arrives. */
    public enum Waiting
    {
        /** Spins if every thread of engine and ranks has a core, otherwise parks. */
        AUTOMATIC,
        /** Occupies a core; the completion is noticed at once. */
        SPINNING,
        /** Parks for 20 µs at a time, to which the operating system adds its timer's slack. */
        PARKING
    }

    /** Ordinals of the devices to use; rank {@code r} runs on the one at {@code r} modulo their number. */
    public CudaBackendConfig devices(final List<Integer> value)
    {
        if (value.isEmpty())
        {
            throw new ConfigException("The CUDA backend was given no device; name at least one, such as 0.");
        }
        devices = List.copyOf(value);
        return this;
    }

    public CudaBackendConfig router(final ExpertRouterSpec value)
    {
        router = value;
        return this;
    }

    /** Layers with a router, 1 or more. */
    public CudaBackendConfig moeLayers(final int value)
    {
        moeLayers = atLeastOne("moeLayers", value);
        return this;
    }

    public CudaBackendConfig kernels(final KernelSet value)
    {
        kernels = value;
        return this;
    }

    /** The source of captured rows; null, the default: the cheapest form that the kernels serve. */
    public CudaBackendConfig captureForm(final CaptureForm value)
    {
        captureForm = value;
        return this;
    }

    /** The most tokens of one step; at least the scheduler's step budget. */
    public CudaBackendConfig maxStepTokens(final int value)
    {
        maxStepTokens = atLeastOne("maxStepTokens", value);
        return this;
    }

    /** The largest step that runs as a CUDA graph; 0: none does. */
    public CudaBackendConfig maxGraphTokens(final int value)
    {
        maxGraphTokens = value;
        return this;
    }

    /** The most steps of one rank that were launched and not yet reported, 1 to {@link #MAX_STEPS_IN_FLIGHT}. */
    public CudaBackendConfig stepsInFlight(final int value)
    {
        if (value < 1 || value > MAX_STEPS_IN_FLIGHT)
        {
            throw new ConfigException(
                "stepsInFlight=" + value + " is not between 1 and " + MAX_STEPS_IN_FLIGHT + "; give a number between them.");
        }
        stepsInFlight = value;
        return this;
    }

    /** Replaces a model's hidden states as the router's input; its seed is that of the sampled tokens too. */
    public CudaBackendConfig logits(final SeededLogits value)
    {
        logits = value;
        return this;
    }

    /** Bytes of device memory that each layer reads, so that a step takes as long as one with a model; 0: none. */
    public CudaBackendConfig streamedBytesPerLayer(final long value)
    {
        streamedBytesPerLayer = value;
        return this;
    }

    public CudaBackendConfig faultPolicy(final FaultPolicy value)
    {
        faultPolicy = value;
        return this;
    }

    /** How a rank's thread waits for a step in flight. */
    public CudaBackendConfig waiting(final Waiting value)
    {
        waiting = value;
        return this;
    }

    /**
     * How long a step may be in flight before the engine gives it up, unless the engine's own setting says otherwise; more
     * than 0. The default is 30 s.
     */
    public CudaBackendConfig stepTimeoutNanos(final long value)
    {
        stepTimeoutNanos = positive("stepTimeoutNanos", value);
        return this;
    }

    /** How long start and close wait for a device before they give it up; more than 0. The default is 10 s. */
    public CudaBackendConfig deviceLimitNanos(final long value)
    {
        deviceLimitNanos = positive("deviceLimitNanos", value);
        return this;
    }

    /** Watches the steps of all ranks; null, the default: nothing does. */
    public CudaBackendConfig stepObserver(final StepObserver value)
    {
        stepObserver = value;
        return this;
    }

    /** Nanoseconds on the engine's origin. */
    public CudaBackendConfig clock(final LongSupplier value)
    {
        clock = value;
        return this;
    }

    private static long positive(final String name, final long value)
    {
        if (value <= 0)
        {
            throw new ConfigException(name + "=" + value + " is not above 0; give a time in nanoseconds.");
        }
        return value;
    }

    private static int atLeastOne(final String name, final int value)
    {
        if (value < 1)
        {
            throw new ConfigException(name + "=" + value + " is below 1; give at least 1.");
        }
        return value;
    }

    List<Integer> devices()
    {
        return devices;
    }

    int deviceOf(final int rank)
    {
        return devices.get(rank % devices.size());
    }

    ExpertRouterSpec router()
    {
        return router;
    }

    int moeLayers()
    {
        return moeLayers;
    }

    /** The captured shape if capture is enabled. */
    public ModelShape shape()
    {
        return new ModelShape(moeLayers, router.experts(), router.topK());
    }

    KernelSet kernels()
    {
        return kernels;
    }

    /** @throws ConfigException when the kernels cannot serve the form asked for, or none. */
    CaptureForm chosenForm()
    {
        return captureForm == null ? kernels.captureForm() : kernels.captureForm(captureForm);
    }

    int maxStepTokens()
    {
        return maxStepTokens;
    }

    int maxGraphTokens()
    {
        return maxGraphTokens;
    }

    int stepsInFlight()
    {
        return stepsInFlight;
    }

    SeededLogits logits()
    {
        return logits;
    }

    long streamedBytesPerLayer()
    {
        return streamedBytesPerLayer;
    }

    FaultPolicy faultPolicy()
    {
        return faultPolicy;
    }

    /** Whether the threads of so many ranks may spin, the engine's four threads being there too. */
    public boolean spins(final int ranks)
    {
        return waiting == Waiting.SPINNING || waiting == Waiting.AUTOMATIC &&
            Runtime.getRuntime().availableProcessors() >= ranks + ENGINE_THREADS;
    }

    StepObserver stepObserver()
    {
        return stepObserver;
    }

    long stepTimeoutNanos()
    {
        return stepTimeoutNanos;
    }

    long deviceLimitNanos()
    {
        return deviceLimitNanos;
    }

    LongSupplier clock()
    {
        return clock;
    }
}
