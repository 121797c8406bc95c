// SPDX-License-Identifier: Apache-2.0
package io.signalbox.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.signalbox.stats.EngineStats;
import io.signalbox.stats.Latency;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Binds the figures of an engine to registries of Micrometer.
 *
 * <pre>{@code
 * new EngineMetrics(engine::stats).bindTo(registry);
 * }</pre>
 *
 * <p>A registry for Prometheus gets histograms with buckets for the latencies; any other one gets their count, total and
 * percentiles. A scrape asks the engine once and holds none of its threads up. After the engine was closed, its last figures
 * stay until {@link #close} takes them away. Thread-safe.
 */
public final class EngineMetrics implements MeterBinder, AutoCloseable
{
    private static final String ENGINE = "engine";
    private static final String PROMETHEUS = "io.micrometer.prometheusmetrics.PrometheusMeterRegistry";
    private static final boolean HAS_PROMETHEUS = isPresent(PROMETHEUS);
    /** One at a time, so that two engines cannot take the same tags. */
    private static final Object BINDING = new Object();

    private final StatsSource source;
    private final Tags tags;
    /** Removals of all meters, by registry. */
    private final Map<MeterRegistry, List<Runnable>> bound = new LinkedHashMap<>();

    /**
     * The metrics of the only engine in its registries; they have the tag {@code engine=0}.
     *
     * @param stats of the engine: {@code engine::stats}.
     */
    public EngineMetrics(final Supplier<EngineStats> stats)
    {
        this(stats, Tags.of(ENGINE, "0"));
    }

    /**
     * @param stats of the engine: {@code engine::stats}.
     * @param tags  of every metric. Engines in one registry have the same keys and different values.
     */
    public EngineMetrics(final Supplier<EngineStats> stats, final Iterable<Tag> tags)
    {
        this.source = new StatsSource(stats, System::nanoTime);
        this.tags = Tags.of(tags);
        for (final Tag tag : tags)
        {
            if (EngineFigures.tagKeys().contains(tag.getKey()))
            {
                throw new IllegalArgumentException("the tag " + tag.getKey() + "=" + tag.getValue() +
                    " has a key that metrics of the engine use themselves; choose another key.");
            }
        }
    }

    private static boolean isPresent(final String type)
    {
        try
        {
            Class.forName(type, false, EngineMetrics.class.getClassLoader());
            return true;
        }
        catch (final ClassNotFoundException e)
        {
            return false;
        }
    }

    /**
     * Registers every metric; does nothing for a registry that has them already, or that is closed. The registries of a
     * composite get them one by one, so add them to it before.
     *
     * @throws IllegalArgumentException if the registry has metrics of another engine with the same tags or with other keys,
     *                                  if somebody else has one of the names, or if it is a composite without registries.
     */
    @Override
    public void bindTo(final MeterRegistry registry)
    {
        synchronized (BINDING)
        {
            bind(registry);
        }
    }

    private void bind(final MeterRegistry registry)
    {
        if (registry instanceof CompositeMeterRegistry composite)
        {
            if (composite.getRegistries().isEmpty())
            {
                throw new IllegalArgumentException(
                    "the composite registry has no registry yet; add one to it, then bind the engine.");
            }
            composite.getRegistries().forEach(this::bind);
        }
        else if (!registry.isClosed() && !bound.containsKey(registry))
        {
            refuseOtherEngine(registry);
            final List<Runnable> removals = new ArrayList<>();
            try
            {
                register(registry, removals);
                // A registry may read meters while it looks for names, which is no scrape.
                source.forget();
            }
            catch (final RuntimeException e)
            {
                removals.forEach(Runnable::run);
                throw e;
            }
            bound.put(registry, removals);
        }
    }

    private void refuseOtherEngine(final MeterRegistry registry)
    {
        for (final Meter other : registry.find(EngineFigures.UNTAGGED.name()).meters())
        {
            final Tags theirs = Tags.of(other.getId().getTagsAsIterable());
            if (tags.stream().allMatch(tag -> theirs.stream().anyMatch(tag::equals)))
            {
                throw new IllegalArgumentException("the registry has metrics of an engine with the tags " + tags +
                    " already; give each engine other tags, or close the EngineMetrics of the other one.");
            }
            // Common tags are in theirs only.
            if (!keys(theirs).containsAll(keys(tags)))
            {
                throw new IllegalArgumentException("the registry has metrics of an engine with the tags " + theirs +
                    ", and a metric has the same keys for all engines, not those of " + tags +
                    "; give both engines tags with the same keys.");
            }
        }
    }

    private static TreeSet<String> keys(final Tags tags)
    {
        final TreeSet<String> keys = new TreeSet<>();
        tags.forEach(tag -> keys.add(tag.getKey()));
        return keys;
    }

    /** @param removals receives the removal of each meter that was registered. */
    private void register(final MeterRegistry registry, final List<Runnable> removals)
    {
        final EngineStats first = source.ask();
        Meter untagged = null;
        for (final EngineFigure figure : EngineFigures.ALL)
        {
            for (final EngineFigure.Series series : figure.series().apply(first))
            {
                final Meter meter = register(registry, figure, series);
                removals.add(() -> registry.remove(meter));
                untagged = figure == EngineFigures.UNTAGGED ? meter : untagged;
            }
        }
        if (HAS_PROMETHEUS && PrometheusHistograms.accepts(registry))
        {
            removals.add(PrometheusHistograms.add(registry, source, untagged.getId()));
        }
        else
        {
            EngineFigures.LATENCIES.forEach(latency -> register(registry, latency, removals));
        }
    }

    private Meter register(final MeterRegistry registry, final EngineFigure figure, final EngineFigure.Series series)
    {
        final int reader = source.newReader();
        final Tags all = tags.and(series.tags());
        // The function holds the source strongly: the meters live until they are removed.
        return figure.kind() == EngineFigure.Kind.COUNTER ?
            FunctionCounter.builder(figure.name(), source, from -> series.value().applyAsDouble(from.read(reader)))
                .tags(all).baseUnit(figure.unit()).description(figure.meaning()).register(registry) :
            Gauge.builder(figure.name(), source, from -> series.value().applyAsDouble(from.read(reader)))
                .tags(all).baseUnit(figure.unit()).description(figure.meaning()).strongReference(true).register(registry);
    }

    private void register(final MeterRegistry registry, final LatencyHistogram kind, final List<Runnable> removals)
    {
        final int counts = source.newReader();
        final int totals = source.newReader();
        final Meter timer = FunctionTimer.builder(kind.baseName(), source,
            from -> kind.latency().apply(from.read(counts)).count(),
            from -> kind.latency().apply(from.read(totals)).sumNanos(), TimeUnit.NANOSECONDS)
            .tags(tags).description(kind.meaning()).register(registry);
        removals.add(() -> registry.remove(timer));
        percentile(registry, kind, "0.5", Latency::p50Nanos, removals);
        percentile(registry, kind, "0.9", Latency::p90Nanos, removals);
        percentile(registry, kind, "0.99", Latency::p99Nanos, removals);
        percentile(registry, kind, "0.999", Latency::p999Nanos, removals);
    }

    private void percentile(
        final MeterRegistry registry,
        final LatencyHistogram kind,
        final String phi,
        final ToLongFunction<Latency> nanos,
        final List<Runnable> removals)
    {
        final int reader = source.newReader();
        final Meter gauge = TimeGauge.builder(kind.baseName() + ".percentile", source, TimeUnit.NANOSECONDS,
            from -> nanos.applyAsLong(kind.latency().apply(from.read(reader))))
            .tags(tags.and(LatencyHistogram.PERCENTILE, phi)).description(kind.meaning() + ", since the beginning")
            .strongReference(true).register(registry);
        removals.add(() -> registry.remove(gauge));
    }

    /** Takes the metrics of this engine out of all registries. They may be bound again. */
    @Override
    public void close()
    {
        synchronized (BINDING)
        {
            bound.values().forEach(removals -> removals.forEach(Runnable::run));
            bound.clear();
        }
    }
}
