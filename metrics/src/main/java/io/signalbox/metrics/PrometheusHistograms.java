// SPDX-License-Identifier: Apache-2.0
package io.signalbox.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.config.NamingConvention;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MetricType;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricFamilyDescriptor;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.signalbox.stats.EngineStats;
import io.signalbox.stats.Latency;

import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The latencies and numbers of tokens of all engines in one Prometheus registry, as histograms with buckets, and the sizes
 * of their KV blocks. No meter of Micrometer can be given
 * the counts of buckets, so they go to the Prometheus client directly. {@link PrometheusPage} makes the registry.
 */
final class PrometheusHistograms implements MultiCollector
{
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    /** A name has one collector per registry, however many engines there are. */
    private static final Map<PrometheusRegistry, PrometheusHistograms> OF_REGISTRIES = new WeakHashMap<>();

    private final List<BoundEngine> engines = new CopyOnWriteArrayList<>();

    private static final List<Kind> KINDS = Stream.concat(
        EngineFigures.LATENCIES.stream().map(kind ->
            new Kind(kind.name(), kind.meaning(), stats -> values(kind.latency().apply(stats)))),
        EngineFigures.TOKEN_METRICS.stream().map(kind ->
            new Kind(kind.name(), kind.meaning(), stats -> values(kind.tokens().apply(stats))))).toList();

    /** A histogram of an engine. */
    private record Kind(String name, String meaning, Function<EngineStats, Values> values)
    {
    }

    /** The values of a histogram. */
    private record Values(ClassicHistogramBuckets buckets, double sum)
    {
    }

    /** One engine and its labels. */
    private record BoundEngine(StatsSource source, int reader, Labels labels)
    {
    }

    private PrometheusHistograms()
    {
    }

    static boolean accepts(final MeterRegistry registry)
    {
        return registry instanceof PrometheusMeterRegistry;
    }

    /**
     * Adds the histograms of one engine.
     *
     * @param like a meter of the engine with the tags of all of them: the histograms have its labels, common tags included.
     * @return takes them away.
     */
    static Runnable add(final MeterRegistry registry, final StatsSource source, final Meter.Id like)
    {
        final PrometheusRegistry prometheus = ((PrometheusMeterRegistry)registry).getPrometheusRegistry();
        final BoundEngine engine =
            new BoundEngine(source, source.newReader(), labels(like, registry.config().namingConvention()));
        synchronized (OF_REGISTRIES)
        {
            PrometheusHistograms histograms = OF_REGISTRIES.get(prometheus);
            if (histograms == null)
            {
                refuseOthers(prometheus);
                histograms = new PrometheusHistograms();
                prometheus.register(histograms);
                OF_REGISTRIES.put(prometheus, histograms);
            }
            histograms.engines.add(engine);
        }
        return () -> remove(prometheus, engine);
    }

    /** The client would find out during a scrape, which then fails as a whole. */
    private static void refuseOthers(final PrometheusRegistry prometheus)
    {
        final List<String> names = KINDS.stream().map(Kind::name).toList();
        for (final MetricSnapshot other : prometheus.scrape(names::contains))
        {
            throw new IllegalArgumentException("the registry has a metric " + other.getMetadata().getPrometheusName() +
                " of somebody else; rename that one, or give the engine another registry.");
        }
    }

    private static void remove(final PrometheusRegistry prometheus, final BoundEngine engine)
    {
        synchronized (OF_REGISTRIES)
        {
            final PrometheusHistograms histograms = OF_REGISTRIES.get(prometheus);
            histograms.engines.remove(engine);
            if (histograms.engines.isEmpty())
            {
                prometheus.unregister(histograms);
                OF_REGISTRIES.remove(prometheus);
            }
        }
    }

    private static Labels labels(final Meter.Id like, final NamingConvention convention)
    {
        final Labels.Builder labels = Labels.builder();
        for (final Tag tag : like.getConventionTags(convention))
        {
            labels.label(tag.getKey(), tag.getValue());
        }
        return labels.build();
    }

    @Override
    public MetricSnapshots collect()
    {
        final MetricSnapshots.Builder snapshots = MetricSnapshots.builder();
        final List<HistogramSnapshot.Builder> histograms =
            KINDS.stream().map(kind -> HistogramSnapshot.builder().name(kind.name()).help(kind.meaning())).toList();
        // Micrometer has no meter of information: its gauges lose the suffix.
        final InfoSnapshot.Builder info =
            InfoSnapshot.builder().name(EngineFigures.CACHE_CONFIG).help(EngineFigures.CACHE_CONFIG_MEANING);
        for (final BoundEngine engine : engines)
        {
            final EngineStats stats = engine.source.read(engine.reader);
            info.dataPoint(cacheConfig(engine.labels, stats.kvPool()));
            for (int i = 0; i < histograms.size(); i++)
            {
                final Values values = KINDS.get(i).values().apply(stats);
                histograms.get(i).dataPoint(HistogramSnapshot.HistogramDataPointSnapshot.builder()
                    .classicHistogramBuckets(values.buckets()).sum(values.sum()).labels(engine.labels).build());
            }
        }
        histograms.forEach(histogram -> snapshots.metricSnapshot(histogram.build()));
        return snapshots.metricSnapshot(info.build()).build();
    }

    private static InfoSnapshot.InfoDataPointSnapshot cacheConfig(final Labels labels, final EngineStats.KvPool pool)
    {
        return InfoSnapshot.InfoDataPointSnapshot.builder().labels(labels.merge(Labels.of(
            EngineFigures.BLOCK_SIZE, Integer.toString(pool.blockSizeTokens()),
            EngineFigures.BLOCKS, Integer.toString(pool.blocksPerRank())))).build();
    }

    /** The client wants the count of each bucket alone, and one bucket for all values above the last bound. */
    private static Values values(final Latency latency)
    {
        final ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
        long below = 0;
        for (final Latency.Bucket bucket : latency.buckets())
        {
            buckets.bucket(bucket.boundNanos() / NANOS_PER_SECOND, bucket.count() - below);
            below = bucket.count();
        }
        return new Values(buckets.bucket(Double.POSITIVE_INFINITY, latency.count() - below).build(),
            latency.sumNanos() / NANOS_PER_SECOND);
    }

    private static Values values(final EngineStats.TokenHistogram tokens)
    {
        final ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
        long below = 0;
        for (final EngineStats.TokenBucket bucket : tokens.buckets())
        {
            buckets.bucket(bucket.bound(), bucket.count() - below);
            below = bucket.count();
        }
        return new Values(buckets.bucket(Double.POSITIVE_INFINITY, tokens.count() - below).build(), tokens.sum());
    }

    /** Lets the registry refuse a metric of somebody else with one of the names. */
    @Override
    public List<MetricFamilyDescriptor> getMetricFamilyDescriptors()
    {
        return Stream.concat(
            KINDS.stream().map(kind ->
                MetricFamilyDescriptor.of(MetricType.HISTOGRAM, new MetricMetadata(kind.name(), kind.meaning()))),
            Stream.of(MetricFamilyDescriptor.of(MetricType.INFO,
                new MetricMetadata(EngineFigures.CACHE_CONFIG, EngineFigures.CACHE_CONFIG_MEANING)))).toList();
    }
}
