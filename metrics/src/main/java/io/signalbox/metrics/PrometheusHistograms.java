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

/**
 * The latencies of all engines in one Prometheus registry, as histograms with buckets. No meter of Micrometer can be given
 * the counts of buckets, so they go to the Prometheus client directly. {@link PrometheusPage} makes the registry.
 */
final class PrometheusHistograms implements MultiCollector
{
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    /** A name has one collector per registry, however many engines there are. */
    private static final Map<PrometheusRegistry, PrometheusHistograms> OF_REGISTRIES = new WeakHashMap<>();

    private final List<BoundEngine> engines = new CopyOnWriteArrayList<>();

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
        final List<String> names = EngineFigures.LATENCIES.stream().map(LatencyHistogram::name).toList();
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
        final HistogramSnapshot.Builder[] histograms = new HistogramSnapshot.Builder[EngineFigures.LATENCIES.size()];
        for (int i = 0; i < histograms.length; i++)
        {
            final LatencyHistogram kind = EngineFigures.LATENCIES.get(i);
            histograms[i] = HistogramSnapshot.builder().name(kind.name()).help(kind.meaning());
        }
        for (final BoundEngine engine : engines)
        {
            final EngineStats stats = engine.source.read(engine.reader);
            for (int i = 0; i < histograms.length; i++)
            {
                final Latency latency = EngineFigures.LATENCIES.get(i).latency().apply(stats);
                histograms[i].dataPoint(HistogramSnapshot.HistogramDataPointSnapshot.builder()
                    .classicHistogramBuckets(buckets(latency)).sum(latency.sumNanos() / NANOS_PER_SECOND)
                    .labels(engine.labels).build());
            }
        }
        final MetricSnapshots.Builder snapshots = MetricSnapshots.builder();
        for (final HistogramSnapshot.Builder histogram : histograms)
        {
            snapshots.metricSnapshot(histogram.build());
        }
        return snapshots.build();
    }

    /** The client wants the count of each bucket alone, and one bucket for all values above the last bound. */
    private static ClassicHistogramBuckets buckets(final Latency latency)
    {
        final ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
        long below = 0;
        for (final Latency.Bucket bucket : latency.buckets())
        {
            buckets.bucket(bucket.boundNanos() / NANOS_PER_SECOND, bucket.count() - below);
            below = bucket.count();
        }
        return buckets.bucket(Double.POSITIVE_INFINITY, latency.count() - below).build();
    }

    /** Lets the registry refuse a metric of somebody else with one of the names. */
    @Override
    public List<MetricFamilyDescriptor> getMetricFamilyDescriptors()
    {
        return EngineFigures.LATENCIES.stream()
            .map(kind -> MetricFamilyDescriptor.of(MetricType.HISTOGRAM, new MetricMetadata(kind.name(), kind.meaning())))
            .toList();
    }
}
