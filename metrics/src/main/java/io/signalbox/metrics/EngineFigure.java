// SPDX-License-Identifier: Apache-2.0
package io.signalbox.metrics;

import io.micrometer.core.instrument.Tags;
import io.signalbox.stats.EngineStats;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * One figure of {@link EngineStats} as a metric: a value for each of its series.
 *
 * @param name    without the suffixes that a registry adds.
 * @param unit    base unit; {@code null} if the figure is a plain number.
 * @param meaning one sentence without a full stop; the HELP of a scrape.
 * @param tagKeys tell the series apart.
 * @param series  of an engine with such figures.
 */
record EngineFigure(
    String name, Kind kind, String unit, String meaning, List<String> tagKeys, Function<EngineStats, List<Series>> series)
{
    private static final String RANK = "rank";

    /** How the figure changes. */
    enum Kind
    {
        /** Only grows. */
        COUNTER,
        /** Grows and falls. */
        GAUGE
    }

    /** One value of a figure. */
    record Series(Tags tags, ToDoubleFunction<EngineStats> value)
    {
    }

    static EngineFigure counter(final String name, final String meaning, final ToLongFunction<EngineStats> value)
    {
        return single(Kind.COUNTER, name, meaning, value);
    }

    static EngineFigure gauge(final String name, final String meaning, final ToLongFunction<EngineStats> value)
    {
        return single(Kind.GAUGE, name, meaning, value);
    }

    private static EngineFigure single(
        final Kind kind, final String name, final String meaning, final ToLongFunction<EngineStats> value)
    {
        final List<Series> one = List.of(new Series(Tags.empty(), value::applyAsLong));
        return of(kind, name, meaning, List.of(), first -> one);
    }

    /** A figure whose series depend on the engine. */
    static EngineFigure of(
        final Kind kind,
        final String name,
        final String meaning,
        final List<String> tagKeys,
        final Function<EngineStats, List<Series>> series)
    {
        return new EngineFigure(name, kind, null, meaning, tagKeys, series);
    }

    /** A figure by one tag, whose series follow. */
    static EngineFigure by(final String tagKey, final Kind kind, final String name, final String meaning)
    {
        return of(kind, name, meaning, List.of(tagKey), first -> List.of());
    }

    /** A figure with a series for each rank. */
    static EngineFigure perRank(
        final Kind kind, final String name, final String meaning, final ToDoubleFunction<EngineStats.Rank> value)
    {
        return of(kind, name, meaning, List.of(RANK), first ->
        {
            final List<Series> series = new ArrayList<>();
            for (int i = 0; i < first.ranks().size(); i++)
            {
                final int rank = i;
                series.add(new Series(
                    Tags.of(RANK, Integer.toString(rank)), stats -> value.applyAsDouble(stats.ranks().get(rank))));
            }
            return series;
        });
    }

    EngineFigure in(final String baseUnit)
    {
        return new EngineFigure(name, kind, baseUnit, meaning, tagKeys, series);
    }

    /** The same figure with one more series. */
    EngineFigure with(final String tagValue, final ToLongFunction<EngineStats> value)
    {
        final Series added = new Series(Tags.of(tagKeys.get(0), tagValue), value::applyAsLong);
        return of(kind, name, meaning, tagKeys, first ->
        {
            final List<Series> longer = new ArrayList<>(series.apply(first));
            longer.add(added);
            return longer;
        });
    }
}
