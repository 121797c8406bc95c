// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import io.signalbox.batch.TenantWeights;
import io.signalbox.compare.ComparisonConfig;
import io.signalbox.config.Setting;
import io.signalbox.cpu.CpuBackendConfig;
import io.signalbox.cuda.CudaBackendConfig;
import io.signalbox.cuda.capture.CaptureLayout;
import io.signalbox.cuda.capture.CaptureRingConfig;
import io.signalbox.cuda.check.CheckConfig;
import io.signalbox.cuda.check.CheckLimits;
import io.signalbox.cuda.check.OverheadCell;
import io.signalbox.cuda.kernel.ExpertRouterMode;
import io.signalbox.cuda.kernel.ExpertRouterSpec;
import io.signalbox.cuda.kernel.LogitsType;
import io.signalbox.cuda.kernel.SeededLogits;
import io.signalbox.engine.EngineConfig;
import io.signalbox.experts.ModelShape;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.RetentionLimits;
import io.signalbox.journal.SnapshotFollower;
import io.signalbox.journal.WithheldJournal;
import io.signalbox.kv.KvBlockConfig;
import io.signalbox.printing.RowExport;
import io.signalbox.printing.RowFormat;
import io.signalbox.printing.RowSplit;
import io.signalbox.printing.TraceFile;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.D2hDelay;
import io.signalbox.server.ServedModel;
import io.signalbox.server.ServerConfig;
import io.signalbox.server.kvevents.KvEventConfig;
import io.signalbox.server.text.SimulatedText;
import io.signalbox.sim.PacedBackend;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.StepCost;
import io.signalbox.sweep.SweepPlan;
import io.signalbox.workload.AgentTraceConfig;
import io.signalbox.workload.Arrivals;
import io.signalbox.workload.Cancellations;
import io.signalbox.workload.FirstRequests;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.HastenedArrivals;
import io.signalbox.workload.PromptDefaults;
import io.signalbox.workload.SizeDistribution;
import io.signalbox.workload.Tenants;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * A class whose settings users set.
 *
 * @param title   of its table in the documents.
 * @param samples make a record of it, or an object with a method per setting.
 */
record ConfigObject(
    String title, Class<?> type, List<Setting<?>> settings, List<Sample> samples)
{
    /** Makes a fresh one. */
    interface Sample
    {
        Object make();
    }

    static final List<ConfigObject> ALL = List.of(
        of("Scheduler", SchedulerConfig.class, SchedulerConfig.SETTINGS, SchedulerConfig::builder),
        of("Model shape", ModelShape.class, ModelShape.SETTINGS, () -> new ModelShape(4, 64, 2)),
        of("Router", RouterConfig.class, RouterConfig.SETTINGS),
        of("Engine", EngineConfig.class, EngineConfig.SETTINGS, EngineConfig::new),
        of("Journal", JournalConfig.class, JournalConfig.SETTINGS, () -> JournalConfig.of(Durability.PROCESS)),
        of("Retention of a journal", RetentionLimits.class, RetentionLimits.SETTINGS),
        of("Journals without tokens", WithheldJournal.class, WithheldJournal.SETTINGS),
        of("Snapshots", SnapshotFollower.class, SnapshotFollower.SETTINGS),
        of("Export of routed experts", RowExport.class, RowExport.SETTINGS,
            () -> new RowExport.Form(0, RowSplit.ALL, RowFormat.NPY, false)),
        of("Exported trace", TraceFile.class, TraceFile.SETTINGS),
        of("Pool of KV blocks", KvBlockConfig.class, KvBlockConfig.SETTINGS, () -> KvBlockConfig.of(64)),
        of("Simulated backend", SimulationConfig.class, SimulationConfig.SETTINGS,
            () -> SimulationConfig.DEFAULT, () -> StepCost.DEFAULT, () -> D2hDelay.DEFAULT),
        of("Simulated ranks in real time", PacedBackend.class, PacedBackend.SETTINGS),
        of("Server", ServerConfig.class, ServerConfig.SETTINGS,
            () -> new ServerConfig(new ServedModel(List.of("model"), 4096, 1, new SimulatedText()))),
        of("KV events", KvEventConfig.class, KvEventConfig.SETTINGS, KvEventConfig::new),
        of("Served model", ServedModel.class, List.of(ServedModel.NAMES, ServedModel.CONTEXT_TOKENS),
            () -> new ServedModel(List.of("model"), 4096, 1, new SimulatedText())),
        of("Generated workload", GeneratedWorkloadConfig.class, GeneratedWorkloadConfig.SETTINGS,
            GeneratedWorkloadConfig::builder),
        of("Arrival processes", Arrivals.class, Arrivals.SETTINGS, () -> new Arrivals.Bursty(8.0, 2.0)),
        of("Distributions of sizes", SizeDistribution.class, SizeDistribution.SETTINGS,
            () -> new SizeDistribution.Lognormal(4.0, 0.7, 1, 32), () -> new SizeDistribution.Fixed(3)),
        of("Agent trace", AgentTraceConfig.class, AgentTraceConfig.SETTINGS, () -> AgentTraceConfig.DEFAULT),
        of("Cancellations", Cancellations.class, Cancellations.SETTINGS, () -> new Cancellations(0.5, 1, 1)),
        of("Tenants of a workload", Tenants.class, Tenants.SETTINGS, () -> new Tenants(TenantWeights.EQUAL, 1)),
        of("Speed of arrivals", HastenedArrivals.class, HastenedArrivals.SETTINGS),
        of("Limit of requests", FirstRequests.class, FirstRequests.SETTINGS),
        of("Prompts of a run", PromptDefaults.class, PromptDefaults.SETTINGS, PromptDefaults::new),
        of("Comparison", ComparisonConfig.class, ComparisonConfig.SETTINGS),
        of("Sweep", SweepPlan.class, SweepPlan.SETTINGS),
        of("CPU backend", CpuBackendConfig.class, CpuBackendConfig.SETTINGS, CpuBackendConfig::new),
        of("CUDA backend", CudaBackendConfig.class, CudaBackendConfig.SETTINGS, CudaBackendConfig::new),
        of("Expert router of the CUDA backend", ExpertRouterSpec.class, ExpertRouterSpec.SETTINGS,
            () -> ExpertRouterSpec.plain(128, 8, ExpertRouterMode.SOFTMAX_TOPK, LogitsType.BF16)),
        of("Seeded logits of the CUDA backend", SeededLogits.class, SeededLogits.SETTINGS,
            () -> new SeededLogits(1, 512)),
        of("Capture ring", CaptureRingConfig.class, CaptureRingConfig.SETTINGS,
            () -> new CaptureRingConfig(0, 1, new CaptureLayout(new ModelShape(2, 8, 2), 8, 4), 2)),
        of("Layout of the capture ring", CaptureLayout.class, CaptureLayout.SETTINGS),
        of("GPU check", CheckConfig.class, CheckConfig.SETTINGS),
        of("Limits of the GPU check", CheckLimits.class, CheckLimits.SETTINGS, () -> CheckLimits.DEFAULT),
        of("Comparisons of the section overhead", OverheadCell.class, OverheadCell.SETTINGS,
            () -> OverheadCell.DEFAULT.get(0)));

    /** Components of records that have another name than the setting's last word. */
    private static final Map<String, String> COMPONENTS = Map.of("cancelFraction", "fraction", "cancelMeanDelayNanos",
        "meanDelayNanos", "cancelSeed", "seed", "stepMillis", "millis", "rate", "ratePerSecond",
        "servedModelName", "names", "inherited", "masked",
        "tenants", "shares", "tenantSeed", "seed");

    static ConfigObject of(
        final String title, final Class<?> type, final List<Setting<?>> settings, final Sample... samples)
    {
        return new ConfigObject(title, type, settings, List.of(samples));
    }

    /**
     * Gives the value to a sample, as a user would.
     *
     * @return whether a sample has the setting.
     */
    boolean give(final Setting<?> setting, final Object value)
    {
        final String last = setting.name().substring(setting.name().lastIndexOf('.') + 1);
        final String name = COMPONENTS.getOrDefault(last, last);
        for (final Sample sample : samples)
        {
            final Object target = sample.make();
            if (isPart(target, setting) &&
                (target instanceof Record ? giveRecord(target, name, value) :
                    giveMethod(target, name, value) || giveDuration(target, name, value) ||
                        giveSetting(target, setting, value)))
            {
                return true;
            }
        }
        return false;
    }

    /** The name of a part of a configuration, such as {@code stepCost}, is that of its class. */
    private static boolean isPart(final Object target, final Setting<?> setting)
    {
        final int dot = setting.name().indexOf('.');
        return dot < 0 || target.getClass().getSimpleName().equalsIgnoreCase(setting.name().substring(0, dot));
    }

    private static boolean giveRecord(final Object target, final String name, final Object value)
    {
        final RecordComponent[] components = target.getClass().getRecordComponents();
        if (Arrays.stream(components).noneMatch(component -> component.getName().equals(name)))
        {
            return false;
        }
        final Class<?>[] types = Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        call(() ->
        {
            final Object[] arguments = new Object[components.length];
            for (int i = 0; i < arguments.length; i++)
            {
                arguments[i] = components[i].getName().equals(name) ? fitted(value, types[i]) :
                    components[i].getAccessor().invoke(target);
            }
            return target.getClass().getDeclaredConstructor(types).newInstance(arguments);
        });
        return true;
    }

    private static boolean giveMethod(final Object target, final String name, final Object value)
    {
        for (final Method method : target.getClass().getMethods())
        {
            if (method.getName().equals(name) && method.getParameterCount() == 1)
            {
                final Class<?> type = method.getParameterTypes()[0];
                final Object given = fitted(value, type);
                if (given != null && !type.isPrimitive() && !type.isInstance(given))
                {
                    return false;
                }
                // An absent value of a number is the one that is never given.
                if (given != null || !type.isPrimitive())
                {
                    call(() -> method.invoke(target, given));
                }
                return true;
            }
        }
        return false;
    }

    /** A setting in nanoseconds may have a method without the unit; an absent time is the one that is never given. */
    private static boolean giveDuration(final Object target, final String name, final Object value)
    {
        final String timed = name.replaceFirst("Nanos$", "");
        return !timed.equals(name) && (value instanceof Optional<?> optional ?
            optional.isEmpty() || giveDuration(target, name, optional.get()) :
            giveMethod(target, timed, Duration.ofNanos((Long)value)));
    }

    /** Some builders take the settings of a group by their names. */
    private static boolean giveSetting(final Object target, final Setting<?> setting, final Object value)
    {
        final Optional<Method> method = Arrays.stream(target.getClass().getMethods()).filter(each ->
            each.getName().equals("set") && each.getParameterCount() == 2 && each.getParameterTypes()[0] == Setting.class)
            .findFirst();
        method.ifPresent(set -> call(() -> set.invoke(target, setting, value)));
        return method.isPresent();
    }

    private static Object fitted(final Object value, final Class<?> type)
    {
        final Object plain = value instanceof Optional<?> optional ? optional.orElse(null) : value;
        return type == float.class ? Float.valueOf(((Double)plain).floatValue()) : plain;
    }

    private static void call(final Callable<?> action)
    {
        try
        {
            action.call();
        }
        catch (final InvocationTargetException e)
        {
            if (e.getCause() instanceof RuntimeException refused)
            {
                throw refused;
            }
            throw new AssertionError(e.getCause());
        }
        catch (final Exception e)
        {
            throw new AssertionError(e);
        }
    }
}
