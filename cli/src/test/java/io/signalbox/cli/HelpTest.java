// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.options.ComparedSchedulers;
import io.signalbox.cli.printing.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class HelpTest
{
    @ParameterizedTest
    @ValueSource(strings = {"--help", "simulate --help", "compare --help", "replay --help", "doctor --help", "gpu --help"})
    void shouldExplainWithExamplesAndExitCodes(final String arguments)
    {
        final CommandRun run = CommandRun.of(arguments.split(" "));

        assertEquals(ExitCode.OK, run.exitCode());
        assertTrue(run.out().contains("Examples:\n  signalbox "), run.out());
        assertTrue(run.out().contains("Exit codes: 0 "), run.out());
        assertEquals("", run.err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"--version", "-V", "simulate -V", "compare -V", "replay --version", "inspect -V", "doctor -V",
        "gpu --version"})
    void shouldPrintTheVersionForEveryCommand(final String arguments)
    {
        final CommandRun run = CommandRun.of(arguments.split(" "));

        assertEquals(ExitCode.OK, run.exitCode());
        assertTrue(run.out().matches("signalbox \\d+\\.\\d+\\.\\d+\\n"), run.out());
    }

    @Test
    void shouldNameEveryDefault()
    {
        final String help = CommandRun.of("simulate", "--help").out();

        assertTrue(help.contains("(default: 8)"), help);
        assertTrue(help.contains("lognormal:200,1.0,8,4096"), help);
        final String compare = CommandRun.of("compare", "--help").out().replaceAll("\\s+", " ");
        assertTrue(compare.contains(String.join(", ", new ComparedSchedulers.Labels()) + " (default: all)"), compare);
        assertTrue(!help.contains("DEFAULT-VALUE") && !help.contains("(default: null)"), help);
    }
}
