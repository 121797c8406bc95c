// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.calibrate.AccuracyScore;
import io.signalbox.calibrate.PointSelection;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.options.InputPath;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cost.CostTables;
import io.signalbox.cost.LatencyModel;
import io.signalbox.printing.CalibrateDocument;
import io.signalbox.printing.JsonDocument;
import io.signalbox.printing.OutputFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.concurrent.Callable;

/** Scores the cost models against measurements. */
@Command(
    name = "calibrate",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = "signalbox calibrate --score FILE [OPTIONS]",
    header = "Score the cost models against measured times of served models.",
    description = {
        "%nCompares predicted TTFT and TPOT with the measurements in a CSV file that has the columns of " +
            "silicon_sample.csv of ai-dynamo/aiconfigurator. Only reads."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox calibrate --score points.csv",
        "  signalbox calibrate --score points.csv.gz --json",
        "",
        "Exit codes: 0 done; 2 usage or environment error: options, permissions, disk or memory;",
        "            3 internal error."})
public final class CalibrateCommand implements Callable<Integer>
{
    private static final int DOCUMENT_BYTES = 1 << 14;

    private final Console console;

    @Option(names = "--score", paramLabel = "FILE",
        description = "Score the predictions for the points in FILE, a CSV file, plain or gzipped.")
    @InputPath
    private Path score;

    @Mixin
    private final JsonOptions jsonOptions = new JsonOptions();

    public CalibrateCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        if (score == null || score.toString().isEmpty())
        {
            throw new ConfigException("--score is missing; give the path of a CSV file with measured points.");
        }
        try (OutputFile file = jsonOptions.reserve(DOCUMENT_BYTES))
        {
            final PointSelection points = PointSelection.of(score);
            final LatencyModel model = new LatencyModel(CostTables.standard());
            final AccuracyScore scored = AccuracyScore.of(points.points().stream().map(point ->
                new AccuracyScore.Prediction(point, model.tpotMillis(point), model.ttftMillis(point))).toList());
            final CalibrateDocument document = CalibrateDocument.of(points, scored);
            jsonOptions.print(console, file, () -> JsonDocument.text(document), () -> document.print(console.out()));
            return ExitCode.OK;
        }
    }
}
