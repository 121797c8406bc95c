// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.options.GpuOptions;
import io.signalbox.cli.printing.Check;
import io.signalbox.cli.printing.Console;
import io.signalbox.cli.printing.ExitCode;
import io.signalbox.cli.printing.GpuReport;
import io.signalbox.cli.printing.GpuReportFile;
import io.signalbox.cli.printing.GpuTables;
import io.signalbox.cli.printing.OutputFile;
import io.signalbox.cuda.check.CheckOptions;
import io.signalbox.cuda.check.GpuCheck;
import io.signalbox.cuda.check.MachineFacts;
import io.signalbox.cuda.driver.CudaAvailability;
import io.signalbox.cuda.driver.CudaProbe;
import io.signalbox.cuda.driver.JCudaBinding;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

/** Checks the CUDA backend on the GPU of this machine. */
@Command(
    name = "gpu",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 110,
    customSynopsis = "signalbox gpu [OPTIONS]",
    header = "Check and measure the CUDA backend on the GPU of this machine.",
    description = {
        "%nRuns on one GPU what needs one: router kernels against the Java oracle, graphs, the capture ring, and " +
            "measurements. A section that cannot run here says so and is neither a success nor a failure. Without options " +
            "the check takes a few minutes, nearly all of them in overhead."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox gpu --probe",
        "  signalbox gpu --json gpu.json",
        "  signalbox gpu --sections routers,steps --rounds 20 --seed 7",
        "",
        "Exit codes: 0 all passed; 1 a section failed; 2 something to mend outside: options, driver, GPU, files;",
        "            3 an internal error."})
public final class GpuCommand implements Callable<Integer>
{
    private final Console console;
    private final Class<?> program;
    @Spec
    private CommandSpec spec;

    @Option(names = "--probe", description = "Only say whether a GPU can be used, and if not, what is missing.")
    private boolean probe;

    @Option(names = "--json", paramLabel = "FILE",
        description = "Write the figures to this file, anew after each section, so that a check that is stopped leaves " +
            "what it had.")
    private Path json;

    @Option(names = "--tables", paramLabel = "FILE", arity = "1..*",
        description = "Print the tables of the documentation from files that --json has written, and check nothing.")
    private List<Path> tables;

    @ArgGroup(validate = false, heading = "%nWhat is checked:%n", order = 1)
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
        final CheckOptions asked = options.options(program);
        options.refuseIdle(spec.commandLine().getParseResult());
        if (json != null)
        {
            OutputFile.check("--json", json);
        }
        refuseUnless(found, asked.device());
        final GpuReportFile file = new GpuReportFile(json, spec.commandLine().getParseResult().originalArgs(), asked.seed(),
            MachineFacts.of(driver, asked.device()));
        final GpuReport report = new GpuReport(console, file, found);
        report.begin(asked);
        return report.conclude(new GpuCheck(driver, new GpuEngine()).run(asked, report));
    }

    private int printTables()
    {
        if (spec.commandLine().getParseResult().matchedOptions().size() > 1)
        {
            throw new ConfigException("--tables only reads files and takes no other option; leave the others out.");
        }
        console.out().print(GpuTables.of(tables));
        return ExitCode.OK;
    }

    private int printProbe(final CudaAvailability found)
    {
        if (json != null || spec.commandLine().getParseResult().matchedOptions().size() > 1)
        {
            throw new ConfigException("--probe only looks and takes no other option; leave the others out.");
        }
        final Check check = MachineChecks.gpu(found);
        console.out().printf("%-10s %-8s %s%n", check.name(), check.ok() ? "ok" : "missing", check.detail());
        return check.ok() ? ExitCode.OK : ExitCode.BAD_INPUT;
    }

    /** What the probe says is missing ends the command, in its words. */
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
