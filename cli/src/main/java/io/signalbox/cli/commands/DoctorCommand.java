// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.printing.Check;
import io.signalbox.cli.printing.Console;
import io.signalbox.cli.printing.ExitCode;
import io.signalbox.cli.printing.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

/** Says what works here, and what to do about the rest. */
@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 110,
    header = "Java, flags, memory, disk, GPU: what works here and what does not.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox doctor",
        "  signalbox doctor --json",
        "",
        "Exit codes: 0 everything needed is there; 1 something needed is missing."})
public final class DoctorCommand implements Callable<Integer>
{
    private final Console console;

    @Option(names = "--json", description = "Print one JSON object instead of a table.")
    private boolean asJson;

    public DoctorCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        final List<Check> checks = MachineChecks.all(Path.of(""));
        final boolean ready = checks.stream().noneMatch(check -> check.needed() && !check.ok());
        if (asJson)
        {
            printJson(checks, ready);
        }
        else
        {
            printTable(checks);
        }
        return ready ? ExitCode.OK : ExitCode.CHECK_FAILED;
    }

    private void printTable(final List<Check> checks)
    {
        for (final Check check : checks)
        {
            console.out().printf("%-10s %-8s %s%n", check.name(), check.ok() ? "ok" : "missing", check.detail());
            if (!check.ok())
            {
                console.out().printf("%-10s %-8s %s%n", "", "", check.remedy());
            }
        }
    }

    private void printJson(final List<Check> checks, final boolean ready)
    {
        Json.print(console.out(), json ->
        {
            json.writeBooleanField("ready", ready);
            json.writeArrayFieldStart("checks");
            for (final Check check : checks)
            {
                json.writeStartObject();
                json.writeStringField("name", check.name());
                json.writeStringField("state", check.ok() ? "ok" : "missing");
                json.writeBooleanField("needed", check.needed());
                json.writeStringField("detail", check.detail());
                json.writeStringField("remedy", check.remedy());
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }
}
