// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.compare.ComparisonCell;
import io.signalbox.compare.ComparisonConfig;
import io.signalbox.compare.Estimate;
import io.signalbox.compare.Figure;
import io.signalbox.router.RouterConfig;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** A comparison as CSV and JSON. Rates are from 0 to 1; a figure that was not measured is empty in CSV, null in JSON. */
public final class ComparisonFiles
{
    private static final int SETTINGS_BYTES = 1 << 14;
    private static final int ROUTER_BYTES = 1 << 11;
    private static final int NAME_BYTES = 1 << 9;
    private static final int FIGURE_BYTES = 1 << 8;
    private static final int VALUE_BYTES = 40;

    private ComparisonFiles()
    {
    }

    /** Room that {@link #csv} needs at most, unless figures have more than {@link #VALUE_BYTES} characters. */
    public static long csvBytes(final ComparisonConfig plan)
    {
        return (1 + cells(plan)) * (NAME_BYTES + 2 * VALUE_BYTES * Figure.values().length);
    }

    /** Room that {@link #json} needs at most, with the same limit. */
    public static long jsonBytes(final ComparisonConfig plan)
    {
        final long valuesOfCell = Figure.values().length * (long)(FIGURE_BYTES + VALUE_BYTES * plan.seeds());
        return SETTINGS_BYTES + ROUTER_BYTES * (long)plan.routers().size() + cells(plan) * (NAME_BYTES + valuesOfCell);
    }

    private static long cells(final ComparisonConfig plan)
    {
        return plan.cells() / plan.seeds();
    }

    /** One line per cell, with mean and half of the 95 % confidence interval of each figure. */
    public static String csv(final List<ComparisonCell> cells)
    {
        final StringBuilder csv = new StringBuilder("workload,kvBlocks,router");
        for (final Figure figure : Figure.values())
        {
            csv.append(',').append(figure.key()).append(',').append(figure.key()).append("HalfWidth95");
        }
        csv.append('\n');
        for (final ComparisonCell cell : cells)
        {
            csv.append(quoted(cell.workload())).append(',').append(cell.kvBlocks()).append(',')
                .append(cell.router().label());
            for (final Figure figure : Figure.values())
            {
                final Estimate estimate = cell.estimate(figure);
                csv.append(',').append(text(estimate.mean())).append(',').append(text(estimate.halfWidth()));
            }
            csv.append('\n');
        }
        return csv.toString();
    }

    static String quoted(final String text)
    {
        final boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
    }

    private static String text(final double value)
    {
        return Double.isNaN(value) ? "" : Decimals.shortest(value);
    }

    /** The plan's settings, and per cell each figure with mean, interval and the value of each seed. */
    public static String json(final ComparisonConfig plan, final List<ComparisonCell> cells)
    {
        return Json.text("signalbox.compare/1", json ->
        {
            json.writeNumberField("firstSeed", plan.firstSeed());
            json.writeNumberField("seeds", plan.seeds());
            Json.object(json, "settings", body ->
            {
                settings(json, plan.scheduler().settings());
                settings(json, plan.simulation().settings());
            });
            Json.object(json, "routers", body -> routers(json, plan.routers()));
            json.writeArrayFieldStart("cells");
            for (final ComparisonCell cell : cells)
            {
                write(json, cell);
            }
            json.writeEndArray();
        });
    }

    /** Router, pool size and seed are those of the cells. */
    private static void settings(final JsonGenerator json, final Map<String, String> settings) throws IOException
    {
        for (final Map.Entry<String, String> setting : settings.entrySet())
        {
            if (!setting.getKey().startsWith("router.") &&
                !List.of("scheduler.kvBlocks", "sim.seed").contains(setting.getKey()))
            {
                json.writeStringField(setting.getKey(), setting.getValue());
            }
        }
    }

    /** Of each router by label: its version, its fallback and its knobs. */
    private static void routers(final JsonGenerator json, final List<RouterConfig> routers) throws IOException
    {
        for (final RouterConfig router : routers)
        {
            json.writeObjectFieldStart(router.label());
            for (final Map.Entry<String, String> setting : router.settings().entrySet())
            {
                json.writeStringField(setting.getKey(), setting.getValue());
            }
            json.writeEndObject();
        }
    }

    private static void write(final JsonGenerator json, final ComparisonCell cell) throws IOException
    {
        json.writeStartObject();
        json.writeStringField("workload", cell.workload());
        json.writeNumberField("kvBlocks", cell.kvBlocks());
        json.writeStringField("router", cell.router().label());
        for (final Figure figure : Figure.values())
        {
            Json.object(json, figure.key(), body ->
            {
                Json.real(json, "mean", cell.estimate(figure).mean());
                Json.real(json, "halfWidth95", cell.estimate(figure).halfWidth());
                json.writeBooleanField("best", cell.isBest(figure));
                json.writeBooleanField("levelWithBest", cell.isLevelWithBest(figure));
                json.writeArrayFieldStart("values");
                for (final double value : cell.values(figure))
                {
                    Json.real(json, value);
                }
                json.writeEndArray();
            });
        }
        json.writeEndObject();
    }
}
