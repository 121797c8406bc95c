// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.ConfigException;
import io.signalbox.backend.RankSizes;
import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.cuda.capture.CaptureRingConfig;
import io.signalbox.cuda.decoder.DecoderExpertRouter;
import io.signalbox.cuda.decoder.DecoderWeights;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.ExpertRouterSpec;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.cuda.kernel.KernelSet;
import io.signalbox.cuda.kernel.SeededLogits;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.forward.Precision;
import io.signalbox.serving.DraftScript;
import io.signalbox.serving.DraftSource;
import io.signalbox.serving.WeightVersion;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/** Configuration of a {@link CudaBackend}, validated when the backend starts. */
public final class CudaBackendConfig
{
    public static final int MAX_STEPS_IN_FLIGHT = CaptureRingConfig.MAX_STEPS_IN_FLIGHT;
    private static final int ENGINE_THREADS = 4;

    public static final Setting<List<Integer>> DEVICES = Setting.integer("devices", "", 0, 0, 1023,
        "Ordinals of the devices to use; rank r runs on the one at r modulo their number.")
        .remedy("name at least one, such as 0").list();
    public static final Setting<Integer> MOE_LAYERS =
        Setting.integer("moeLayers", "", 48, 1, ModelShape.MAX_MOE_LAYERS, "Layers with a router.")
        .option("--moe-layers", "N", "Give a step N MoE layers");
    public static final Setting<Optional<CaptureForm>> CAPTURE_FORM =
        Setting.constant("captureForm", CaptureForm.FUSED, "The source of captured rows.")
            .orAbsent("the cheapest form that the kernels serve");
    public static final Setting<Optional<Precision>> PRECISION = Setting.constant("precision", Precision.F32,
        "The arithmetic of values that a model's forward pass keeps between its sums.").orAbsent("that of the weights");
    public static final Setting<KernelFamily> KERNEL_FAMILY = Setting.constant("kernelFamily", KernelFamily.EXACT,
        "The kernels of a model's products: EXACT ones have the bits of the CPU backend, FAST ones use tensor cores.");
    public static final Setting<Integer> MAX_STEP_TOKENS = Setting.integer("maxStepTokens", "tokens", 8192, 1,
        Integer.MAX_VALUE, "Most tokens of one step; at least the scheduler's step budget.");
    public static final Setting<Integer> MAX_GRAPH_TOKENS = Setting.integer("maxGraphTokens", "tokens", 256, 0,
        Integer.MAX_VALUE, "Tokens of the largest step that runs as a CUDA graph; 0: none does.");
    public static final Setting<Integer> STEPS_IN_FLIGHT = CaptureRingConfig.STEPS_IN_FLIGHT;
    public static final Setting<Long> STREAMED_BYTES_PER_LAYER = Setting.number("streamedBytesPerLayer", "bytes", 0, 0,
        Long.MAX_VALUE, "Device memory that each layer reads, so that a step takes as long as one with a model; 0: none.");
    public static final Setting<FaultPolicy> FAULT_POLICY = Setting.constant("faultPolicy", FaultPolicy.LOSE_RANK,
        "The fate of the other ranks when CUDA fails on one.");
    public static final Setting<RankWaiting> WAITING = Setting.constant("waiting", RankWaiting.AUTOMATIC,
        "How a rank's thread waits for a step in flight; AUTOMATIC spins if every thread has a core.");
    public static final Setting<Long> STEP_TIMEOUT_NANOS = Setting.number("stepTimeoutNanos", "ns", 30_000_000_000L, 1,
        Long.MAX_VALUE, "How long a step may be in flight, unless the engine's own setting says otherwise.")
        .remedy("give a time in nanoseconds");
    public static final Setting<Long> DEVICE_LIMIT_NANOS = Setting.number("deviceLimitNanos", "ns", 10_000_000_000L, 1,
        Long.MAX_VALUE, "How long start and close wait for a device before they give it up.")
        .remedy("give a time in nanoseconds");
    public static final Setting<Optional<Path>> DRAFT_SCRIPT = DraftScript.FILE;
    public static final Setting<Optional<String>> WEIGHT_VERSION = WeightVersion.SETTING;
    public static final List<Setting<?>> SETTINGS = List.of(DEVICES, MOE_LAYERS, CAPTURE_FORM, PRECISION, KERNEL_FAMILY,
        DRAFT_SCRIPT, WEIGHT_VERSION, MAX_STEP_TOKENS, MAX_GRAPH_TOKENS, STEPS_IN_FLIGHT, STREAMED_BYTES_PER_LAYER,
        FAULT_POLICY, WAITING, STEP_TIMEOUT_NANOS, DEVICE_LIMIT_NANOS);

    private SettingValues values = SettingValues.defaults("the CUDA backend", SETTINGS);
    private ExpertRouterSpec router = ExpertRouterSpec.plain(ExpertRouterSpec.EXPERTS.defaultValue(),
        ExpertRouterSpec.TOP_K.defaultValue(), ExpertRouterSpec.MODE.defaultValue(), ExpertRouterSpec.TYPE.defaultValue());
    private KernelSet kernels = KernelSet.OPEN;
    private SeededLogits logits = new SeededLogits(SeededLogits.SEED.defaultValue(), SeededLogits.LEVELS.defaultValue());
    private ModelWeights weights;
    private RankSizes sizes;
    private DraftSource drafts;
    private StepObserver stepObserver;
    private LongSupplier clock = System::nanoTime;

    /** How the thread of a rank waits while a step is in flight; without one it sleeps until a plan arrives. */
    public enum RankWaiting
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
        return set(DEVICES, value);
    }

    public CudaBackendConfig router(final ExpertRouterSpec value)
    {
        router = value;
        return this;
    }

    /** Layers with a router, 1 or more. */
    public CudaBackendConfig moeLayers(final int value)
    {
        return set(MOE_LAYERS, value);
    }

    public CudaBackendConfig kernels(final KernelSet value)
    {
        kernels = value;
        return this;
    }

    /** The source of captured rows; null, the default: the cheapest form that the kernels serve. */
    public CudaBackendConfig captureForm(final CaptureForm value)
    {
        return set(CAPTURE_FORM, Optional.ofNullable(value));
    }

    /** The most tokens of one step; at least the scheduler's step budget. */
    public CudaBackendConfig maxStepTokens(final int value)
    {
        return set(MAX_STEP_TOKENS, value);
    }

    /** The largest step that runs as a CUDA graph; 0: none does. */
    public CudaBackendConfig maxGraphTokens(final int value)
    {
        return set(MAX_GRAPH_TOKENS, value);
    }

    /** The most steps of one rank that were launched and not yet reported, 1 to {@link #MAX_STEPS_IN_FLIGHT}. */
    public CudaBackendConfig stepsInFlight(final int value)
    {
        return set(STEPS_IN_FLIGHT, value);
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
        return set(STREAMED_BYTES_PER_LAYER, value);
    }

    public CudaBackendConfig faultPolicy(final FaultPolicy value)
    {
        return set(FAULT_POLICY, value);
    }

    /** How a rank's thread waits for a step in flight. */
    public CudaBackendConfig waiting(final RankWaiting value)
    {
        return set(WAITING, value);
    }

    /**
     * How long a step may be in flight before the engine gives it up, unless the engine's own setting says otherwise; more
     * than 0. The default is 30 s.
     */
    public CudaBackendConfig stepTimeout(final Duration value)
    {
        return set(STEP_TIMEOUT_NANOS, value.toNanos());
    }

    /** How long start and close wait for a device before they give it up; more than 0. The default is 10 s. */
    public CudaBackendConfig deviceLimit(final Duration value)
    {
        return set(DEVICE_LIMIT_NANOS, value.toNanos());
    }

    /**
     * The model that is computed; its router and MoE layers replace those that were given. Without a model, logits and
     * tokens are functions of a seed.
     *
     * @throws ConfigException if the kernels cannot compute it.
     */
    public CudaBackendConfig model(final ModelWeights value)
    {
        weights = value;
        router = DecoderExpertRouter.spec(value.plan());
        return moeLayers(value.plan().moeLayers().size());
    }

    /** The arithmetic of values that a model keeps between sums; {@code null}, the default: that of the weights. */
    public CudaBackendConfig precision(final Precision value)
    {
        return set(PRECISION, Optional.ofNullable(value));
    }

    /** The kernels of a model's products with weights; those of the router are exact in both families. */
    public CudaBackendConfig kernelFamily(final KernelFamily value)
    {
        return set(KERNEL_FAMILY, value);
    }

    /** A file with expected answers, which are fed to a model as draft tokens; {@code null}, the default: none are. */
    public CudaBackendConfig draftScript(final Path value)
    {
        return set(DRAFT_SCRIPT, Optional.ofNullable(value));
    }

    /**
     * Version of the model's weights with which the backend starts, as {@link WeightVersion#of} makes it. With a version,
     * the weights can be replaced while it runs, and each device holds a second set. {@code null}, the default: they cannot.
     */
    public CudaBackendConfig weightVersion(final String value)
    {
        return set(WEIGHT_VERSION, Optional.ofNullable(value));
    }

    /** Guesses a model's draft tokens in place of a script; {@code null}, the default: nothing does. */
    public CudaBackendConfig drafts(final DraftSource value)
    {
        drafts = value;
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

    private <T> CudaBackendConfig set(final Setting<T> setting, final T value)
    {
        values = values.with(setting, value);
        return this;
    }

    List<Integer> devices()
    {
        return values.get(DEVICES);
    }

    int deviceOf(final int rank)
    {
        return devices().get(rank % devices().size());
    }

    /** Those that so many ranks run on, each once. */
    Set<Integer> devicesOf(final int ranks)
    {
        final Set<Integer> used = new TreeSet<>();
        for (int rank = 0; rank < ranks; rank++)
        {
            used.add(deviceOf(rank));
        }
        return used;
    }

    ExpertRouterSpec router()
    {
        return router;
    }

    int moeLayers()
    {
        return values.get(MOE_LAYERS);
    }

    /** The captured shape if capture is enabled. */
    public ModelShape shape()
    {
        return weights == null ? new ModelShape(moeLayers(), router.experts(), router.topK()) : weights.plan().shape();
    }

    /** The model that is computed, or null. */
    DecoderSetup decoder()
    {
        if (weights == null)
        {
            return null;
        }
        final Precision own = Precision.of(weights.plan().type());
        return new DecoderSetup(weights, values.get(PRECISION).orElse(own), kernelFamily(), sizes, drafts());
    }

    /**
     * New weights as the precision computes with them.
     *
     * @throws ConfigException if a device would hold a matrix in another type or layout than that of the first weights.
     */
    ModelWeights replacement(final ModelWeights exact)
    {
        final DecoderSetup first = decoder();
        final ModelWeights next = first.precision().weights(exact);
        DecoderWeights.requireSameForms(first.weights(), next, first.family());
        return next;
    }

    /** {@code null} if the weights cannot be replaced. */
    String weightVersion()
    {
        return values.get(WEIGHT_VERSION).orElse(null);
    }

    /** Sets of weights that a device holds: 2 if weights can be replaced, else 1. */
    int weightSets()
    {
        return weights == null || weightVersion() == null ? 1 : 2;
    }

    /** {@code null} without a model. */
    DecoderPlan plan()
    {
        return weights == null ? null : weights.plan();
    }

    boolean hasDrafts()
    {
        return drafts != null || values.get(DRAFT_SCRIPT).isPresent();
    }

    /** Null: there are none. A script is read when it is first asked for. */
    private DraftSource drafts()
    {
        if (drafts == null && hasDrafts())
        {
            drafts = DraftScript.read(values.get(DRAFT_SCRIPT).get());
        }
        return drafts;
    }

    /** Limits of the tokens that the model can be fed; null without a model. */
    DecoderLimits limits()
    {
        return weights == null ? null : decoder().limits();
    }

    /** Memory for a model is made for the ranks that the engine has. */
    void sized(final RankSizes value)
    {
        if (weights != null)
        {
            sizes = value;
            maxStepTokens(value.stepTokens());
        }
    }

    KernelFamily kernelFamily()
    {
        return values.get(KERNEL_FAMILY);
    }

    KernelSet kernels()
    {
        return kernels;
    }

    /** @throws ConfigException when the kernels cannot serve the form asked for, or none. */
    CaptureForm chosenForm()
    {
        return values.get(CAPTURE_FORM).map(kernels::captureForm).orElseGet(kernels::captureForm);
    }

    int maxStepTokens()
    {
        return values.get(MAX_STEP_TOKENS);
    }

    int maxGraphTokens()
    {
        return values.get(MAX_GRAPH_TOKENS);
    }

    int stepsInFlight()
    {
        return values.get(STEPS_IN_FLIGHT);
    }

    SeededLogits logits()
    {
        return logits;
    }

    long streamedBytesPerLayer()
    {
        return values.get(STREAMED_BYTES_PER_LAYER);
    }

    FaultPolicy faultPolicy()
    {
        return values.get(FAULT_POLICY);
    }

    /** Whether the threads of so many ranks may spin, the engine's four threads being there too. */
    public boolean spins(final int ranks)
    {
        final RankWaiting waiting = values.get(WAITING);
        return waiting == RankWaiting.SPINNING || waiting == RankWaiting.AUTOMATIC &&
            Runtime.getRuntime().availableProcessors() >= ranks + ENGINE_THREADS;
    }

    StepObserver stepObserver()
    {
        return stepObserver;
    }

    long stepTimeoutNanos()
    {
        return values.get(STEP_TIMEOUT_NANOS);
    }

    long deviceLimitNanos()
    {
        return values.get(DEVICE_LIMIT_NANOS);
    }

    LongSupplier clock()
    {
        return clock;
    }

    @Override
    public String toString()
    {
        return "CudaBackendConfig" + values;
    }
}
