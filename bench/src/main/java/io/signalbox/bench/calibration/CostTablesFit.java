// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.calibration;

import io.signalbox.ConfigException;
import io.signalbox.calibrate.AccuracyScore;
import io.signalbox.calibrate.HeldOut;
import io.signalbox.calibrate.PointSelection;
import io.signalbox.cost.CostTables;
import io.signalbox.cost.KernelFits;
import io.signalbox.cost.LatencyModel;
import io.signalbox.cost.ServedPoint;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Fits the cost tables to the measurements in a directory, and writes the tables and the page on their accuracy. The
 * directory holds tables of ai-dynamo/aiconfigurator as CSV; {@link KernelRows} names the files.
 */
public final class CostTablesFit
{
    static final String POINTS = "silicon_ttft_tpot.csv.gz";
    private static final List<String> COMMENTS = List.of("SPDX-License-Identifier: Apache-2.0",
        "Made by scripts/fit-costs from measurements of ai-dynamo/aiconfigurator (Apache-2.0).",
        "kernel: cell, rows, mean error in percent, microseconds per unit of each term (KernelRows lists the terms).",
        "tpot, ttft: level and group, natural logarithm of the scale of each term (LatencyTerms lists the terms).",
        "covered: model, GPU, engine, points, held-out error of TPOT and TTFT in percent, layouts, versions.");

    private CostTablesFit()
    {
    }

    /** @param arguments the directory, the file of the tables, the file of the page. */
    public static void main(final String[] arguments) throws IOException
    {
        if (arguments.length != 3)
        {
            System.err.println("give the directory of the measurements, the file of the tables, and the file of the page.");
            System.exit(2);
        }
        try
        {
            final Path directory = Path.of(arguments[0]);
            final KernelFit kernels = new KernelFit(new KernelRows(directory).read());
            final PointSelection points = PointSelection.of(directory.resolve(POINTS));
            final CostTables tables = tables(kernels.fits(), points);
            Files.write(Path.of(arguments[1]), tables.lines(COMMENTS), StandardCharsets.UTF_8);
            Files.writeString(
                Path.of(arguments[2]), new AccuracyPage(kernels, points, tables).text(), StandardCharsets.UTF_8);
        }
        catch (final ConfigException e)
        {
            System.err.println(e.getMessage());
            System.exit(2);
        }
    }

    static CostTables tables(final KernelFits kernels, final PointSelection selection)
    {
        final CostTables fitted = LatencyModel.fit(kernels, selection.points()).tables();
        final List<AccuracyScore.Prediction> heldOut =
            HeldOut.predictions(selection.points(), ServedPoint::group, HeldOut.latencyModel(kernels));
        return new CostTables(kernels, fitted.tpot(), fitted.ttft(), coverage(heldOut));
    }

    private static List<CostTables.Coverage> coverage(final List<AccuracyScore.Prediction> heldOut)
    {
        final Map<List<String>, List<AccuracyScore.Prediction>> cells = new TreeMap<>(
            (left, right) -> String.join("|", left).compareTo(String.join("|", right)));
        for (final AccuracyScore.Prediction each : heldOut)
        {
            cells.computeIfAbsent(List.of(each.point().deployment().model().name(), each.point().deployment().gpu().label(),
                each.point().deployment().run().engine()), cell -> new ArrayList<>()).add(each);
        }
        final List<CostTables.Coverage> coverage = new ArrayList<>();
        cells.forEach((cell, predictions) ->
        {
            final AccuracyScore score = AccuracyScore.of(predictions);
            final TreeSet<String> layouts = new TreeSet<>();
            final TreeSet<String> versions = new TreeSet<>();
            predictions.forEach(each ->
            {
                layouts.add(each.point().deployment().parallelism().text());
                versions.add(each.point().deployment().run().version());
            });
            versions.remove("");
            coverage.add(new CostTables.Coverage(cell.get(0), cell.get(1), cell.get(2), predictions.size(),
                score.tpot().meanPercent(), score.ttft().meanPercent(), List.copyOf(layouts), List.copyOf(versions)));
        });
        return coverage;
    }
}
