// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.calibrate.AccuracyScore;
import io.signalbox.calibrate.Calibration;
import io.signalbox.calibrate.JournalCost;
import io.signalbox.calibrate.LoadPoint;
import io.signalbox.calibrate.LoadPointFiles;
import io.signalbox.calibrate.PointSelection;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.Progress;
import io.signalbox.cli.console.ReadingProgress;
import io.signalbox.cli.options.DeploymentOptions;
import io.signalbox.cli.options.InputPath;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.OptionGroup;
import io.signalbox.cli.options.OutputPath;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.cost.CostFile;
import io.signalbox.cost.CostTables;
import io.signalbox.cost.LatencyModel;
import io.signalbox.printing.CalibrateDocument;
import io.signalbox.printing.CostDocument;
import io.signalbox.printing.JsonDocument;
import io.signalbox.printing.NewFile;
import io.signalbox.printing.OutputFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

/** Fits a step cost to measurements, or scores the cost models that ship. */
@Command(
    name = "calibrate",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = {
        "signalbox calibrate FILE... --out COST [OPTIONS]",
        "signalbox calibrate --score FILE [OPTIONS]"},
    header = "Fit step times to measurements of a deployment, or score the cost models.",
    description = {
        "%nReads saved measurements of one deployment: a CSV file of points (concurrency, isl, osl, ttft_ms, tpot_ms), " +
            "results of 'vllm bench serve' or AIPerf in JSON, scrapes of vLLM's /metrics, or the journal of a run. Fits " +
            "the cost of a step such that simulations take as long, and writes it to a file for --cost. Six to ten " +
            "points from the lowest to the highest load are enough. With --model, the fit starts from the cost of that " +
            "deployment.",
        "%n--score compares predicted TTFT and TPOT with the measurements in a CSV file that has the columns of " +
            "silicon_sample.csv of ai-dynamo/aiconfigurator."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox calibrate points.csv --model qwen3-235b --gpu h200 --parallel tp8 --out cost.json",
        "  signalbox calibrate c8.json c32.json c128.json --out cost.json",
        "  signalbox calibrate runs/0001 --out cost.json",
        "  signalbox calibrate --score points.csv.gz --json",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options, files,",
        "            permissions, disk or memory; 3 internal error."})
public final class CalibrateCommand implements Callable<Integer>
{
    private static final String NAME = "signalbox calibrate";
    private static final String OUT = "--out";
    private static final int DOCUMENT_BYTES = 1 << 16;

    private final Console console;

    @Parameters(paramLabel = "FILE", arity = "0..*",
        description = "Files with measurements of one deployment, in the order of time; or the directory of a journal.")
    @InputPath
    private List<Path> files = List.of();

    @Option(names = OUT, paramLabel = "FILE", description = "Write the fitted cost to FILE, a new file.")
    @OutputPath
    private Path out;

    @Option(names = "--score", paramLabel = "FILE",
        description = "Score the predictions for the points in FILE, a CSV file, plain or gzipped.")
    @InputPath
    private Path score;

    @OptionGroup("Deployment that was measured")
    private final DeploymentOptions deployment = new DeploymentOptions();

    @Mixin
    private final JsonOptions jsonOptions = new JsonOptions();

    @Mixin
    private final ProgressOption progressOption = new ProgressOption();

    public CalibrateCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        if (deployment.listsModels())
        {
            return MeasuredModels.print(console, jsonOptions);
        }
        if (score == null ? files.isEmpty() : !files.isEmpty() || out != null || deployment.isGiven())
        {
            throw new ConfigException(score == null ?
                "no measurement is given; give files with measurements, or --score and a CSV file with points." :
                "--score compares what ships with measurements and fits nothing; give it alone.");
        }
        if (score == null && out == null)
        {
            throw new ConfigException(OUT + " is missing; give the path of a new file for the fitted cost.");
        }
        try (OutputFile file = jsonOptions.reserve(DOCUMENT_BYTES))
        {
            final CalibrateDocument document = score == null ? fitted() : scored();
            jsonOptions.print(console, file, () -> JsonDocument.text(document), () -> document.print(console.out()));
            return ExitCode.OK;
        }
    }

    private CalibrateDocument scored()
    {
        if (score.toString().isEmpty())
        {
            throw new ConfigException("--score is empty; give the path of a CSV file with measured points.");
        }
        final PointSelection points = PointSelection.of(score);
        final LatencyModel model = new LatencyModel(CostTables.standard());
        return CalibrateDocument.of(points, AccuracyScore.of(points.points().stream().map(point ->
            new AccuracyScore.Prediction(point, model.tpotMillis(point), model.ttftMillis(point))).toList()));
    }

    private CalibrateDocument fitted()
    {
        if (files.size() == 1 && Files.isDirectory(files.get(0)))
        {
            return ofJournal(files.get(0));
        }
        final CostFile known = deployment.isGiven() ? deployment.cost() : null;
        deployment.refuseWithoutModel();
        try (NewFile file = NewFile.create(OUT, out))
        {
            final List<LoadPoint> points = LoadPointFiles.read(files);
            final Calibration fit;
            try (Progress progress = progressOption.show(console, NAME))
            {
                final int all = Calibration.simulations(points.size());
                fit = Calibration.of("measured points", points, known == null ? null : known.stepCost(),
                    done -> progress.show(done, all, () -> done + " of " + all + " simulations"));
            }
            write(file, fit.file());
            return CalibrateDocument.of(out, fit);
        }
    }

    private CalibrateDocument ofJournal(final Path journal)
    {
        if (deployment.isGiven())
        {
            throw new ConfigException("a journal has the time of each step, so that no deployment is needed; leave " +
                "--model and --cost out.");
        }
        deployment.refuseWithoutModel();
        try (NewFile file = NewFile.create(OUT, out))
        {
            final JournalCost fit;
            try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, NAME)))
            {
                fit = JournalCost.of(journal, progress);
            }
            write(file, fit.file());
            return CalibrateDocument.of(out, fit);
        }
    }

    private void write(final NewFile file, final CostFile cost)
    {
        final byte[] text = JsonDocument.text(CostDocument.of(cost)).getBytes(StandardCharsets.UTF_8);
        file.write(text, 0, text.length);
        file.publish();
    }
}
