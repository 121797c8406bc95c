// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.printing.Console;
import io.signalbox.cli.printing.ExitCode;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.util.List;
import java.util.concurrent.Callable;

/** Prints the script that completes commands, options and their values in a shell. */
@Command(
    name = "completion",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Print a script with which bash or zsh completes commands and options.",
    description = {"%nThe script completes the words after 'signalbox' and './signalbox' in the shell that reads it."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  source <(signalbox completion bash)                         in this shell",
        "  signalbox completion bash >~/.local/share/bash-completion/completions/signalbox",
        "  signalbox completion zsh >~/.signalbox-completion           and in ~/.zshrc, after compinit:",
        "                                                              source ~/.signalbox-completion",
        "",
        "Exit codes: 0 done; 2 the shell is not known."})
public final class CompletionCommand implements Callable<Integer>
{
    private static final List<String> SHELLS = List.of("bash", "zsh");

    private final Console console;
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "SHELL", description = "bash or zsh.")
    private String shell;

    public CompletionCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        if (!SHELLS.contains(shell))
        {
            throw new ConfigException("SHELL='" + shell + "' is not known; give bash or zsh.");
        }
        // One script for both shells: it enables zsh's support of bash completions.
        console.out().print(AutoComplete.bash(spec.root().name(), spec.root().commandLine()));
        return ExitCode.OK;
    }
}
