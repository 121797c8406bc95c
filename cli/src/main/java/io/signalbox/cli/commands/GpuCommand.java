// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Check;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.GpuReport;
import io.signalbox.cli.console.GpuReportFile;
import io.signalbox.cli.console.GpuTables;
import io.signalbox.cli.console.Progress;
import io.signalbox.cli.options.GpuOptions;
import io.signalbox.cli.options.InputPath;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.OptionGroup;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.cuda.check.CheckConfig;
import io.signalbox.cuda.check.GpuCheck;
import io.signalbox.cuda.check.MachineFacts;
import io.signalbox.cuda.driver.CudaAvailability;
import io.signalbox.cuda.driver.CudaProbe;
import io.signalbox.cuda.driver.JCudaBinding;
import io.signalbox.printing.OutputFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;

/** Checks the CUDA backend on the GPU of this machine. */
@Command(
    name = "gpu",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = "signalbox gpu [OPTIONS]",
    header = "Check and measure the CUDA backend on the GPU of this machine.",
    description = {
        "%nCompares the router kernels with the Java oracle, tests graphs and the capture ring, and measures, all on one " +
            "GPU. A section that cannot run here is reported as not run, neither passed nor failed. Without options the " +
            "check takes a few minutes, most of them in the section overhead."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox gpu --probe",
        "  signalbox gpu --json-file gpu.json",
        "  signalbox gpu --sections routers,steps --rounds 20 --seed 7",
        "",
        "Exit codes: 0 no section failed; 1 a section failed; 2 usage or environment error: options,",
        "            driver, GPU or files; 3 internal error."})
public final class GpuCommand implements Callable<Integer>
{
    private static final int PROBE_BYTES = 1 << 13;
    private static final Set<String> OF_PROBE = Set.of("--probe", "--json", JsonOptions.FILE_OPTION);

    private final Console console;
    private final Class<?> program;
    @Spec
    private CommandSpec spec;

    @Option(names = "--probe", description = "Only report whether a GPU can be used, and if not, what is missing.")
    private boolean probe;

    @Option(names = "--tables", paramLabel = "FILE", arity = "1..*",
        description = "Print the tables of the documentation from files that --json-file has written; check nothing.")
    @InputPath
    private List<Path> tables;

    @Mixin
    private final JsonOptions jsonOptions = new JsonOptions();

    @Mixin
    private final ProgressOption progressOption = new ProgressOption();

    @OptionGroup("Checks")
    private final GpuOptions options = new GpuOptions();

    /** @param program the class whose {@code main} a section starts again under a tool. */
    public GpuCommand(final Console console, final Class<?> program)
    {
        this.console = console;
        this.program = program;
    }

    @Override
    public Integer call()
    {
        if (tables != null)
        {
            return printTables();
        }
        final JCudaBinding driver = new JCudaBinding();
        final CudaAvailability found = new CudaProbe(driver).probe();
        if (probe)
        {
            return printProbe(found);
        }
        final CheckConfig asked = options.options(program);
        options.refuseIdle(spec.commandLine().getParseResult());
        final Path json = jsonOptions.file();
        if (json != null)
        {
            OutputFile.check(JsonOptions.FILE_OPTION, json);
        }
        refuseUnless(found, asked.device());
        final GpuReportFile file = new GpuReportFile(json, spec.commandLine().getParseResult().originalArgs(), asked.seed(),
            MachineFacts.of(driver, asked.device()));
        try (Progress progress = progressOption.show(console, "signalbox gpu"))
        {
            final GpuReport report = new GpuReport(console, file, found, progress, jsonOptions.isJson());
            report.begin(asked);
            return report.conclude(new GpuCheck(driver, new GpuEngine()).run(asked, report));
        }
    }

    private int printTables()
    {
        if (spec.commandLine().getParseResult().matchedOptions().size() > 1)
        {
            throw new ConfigException("--tables only reads files and has no other options; leave the others out.");
        }
        console.out().print(GpuTables.of(tables));
        return ExitCode.OK;
    }

    private int printProbe(final CudaAvailability found)
    {
        final ParseResult given = spec.commandLine().getParseResult();
        if (given.matchedOptions().stream().anyMatch(option -> !OF_PROBE.contains(option.longestName())))
        {
            throw new ConfigException("--probe checks nothing and has no other options than --json and --json-file; leave " +
                "the others out.");
        }
        try (OutputFile file = jsonOptions.reserve(PROBE_BYTES))
        {
            jsonOptions.print(console, file, () -> GpuReportFile.probe(found), () ->
            {
                final Check check = MachineChecks.gpu(found);
                console.out().printf("%-10s %-8s %s%n", check.name(), check.ok() ? "ok" : "missing", check.detail());
            });
        }
        return found.ready() ? ExitCode.OK : ExitCode.BAD_INPUT;
    }

    /** @throws ConfigException with the message of the probe if no GPU can be used, or if there is no such device. */
    static void refuseUnless(final CudaAvailability found, final int device)
    {
        if (!found.ready())
        {
            throw new ConfigException(found.message());
        }
        if (device >= found.devices().size())
        {
            throw new ConfigException("--device=" + device + " is not there, the driver offers " +
                found.devices().size() + "; see 'signalbox gpu --probe'.");
        }
    }
}
