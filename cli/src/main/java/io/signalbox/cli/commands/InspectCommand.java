// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.options.CommandModel;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Predicate;

/** Answers questions about a journal; each question is a subcommand. */
@Command(
    name = "inspect",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Ask a journal: the run, its requests, one request's life and why it got its rank.",
    customSynopsis = "signalbox inspect [QUESTION] JOURNAL [OPTIONS]",
    description = {
        "%nWithout a question: run. Tables are printed as text, --json or --csv; times are logical. A question only " +
            "reads; the journal may still be written meanwhile. 'signalbox inspect QUESTION --help' explains a question."},
    commandListHeading = "%nQuestions:%n",
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox inspect runs/0001                    the report and the settings of the run",
        "  signalbox inspect request runs/0001 812        one request's life and why it got its rank",
        "  signalbox inspect requests runs/0001 --slowest 10",
        "  signalbox inspect series runs/0001 --every 10s  arrivals, queue, latencies and goodput over time",
        "  signalbox inspect experts runs/0001 --from 60 --to 120",
        "  signalbox inspect moment runs/0001 61.5        who ran and who waited, by rank",
        "  signalbox inspect events runs/0001 --message Commit,Free --follow",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
public final class InspectCommand implements Callable<Integer>
{
    /** The questions, in the order of the help. */
    public static final List<String> QUESTIONS = List.of(
        "run", "series", "requests", "request", "placements", "faults", "block", "rank", "expert", "experts", "events",
        "moment", "drafts");
    static final String NAME = "signalbox inspect";

    @Spec
    private CommandSpec spec;

    private InspectCommand()
    {
    }

    /** The command with all questions; only those that are chosen have options. */
    public static CommandLine line(final Console console, final Predicate<String> chosen)
    {
        final CommandLine line = new CommandLine(new InspectCommand());
        QUESTIONS.forEach(question -> line.addSubcommand(question, chosen.test(question) ?
            CommandModel.of(type(question), console) : CommandModel.listed(type(question))));
        return line;
    }

    private static Class<? extends InspectQuestion> type(final String question)
    {
        return switch (question)
        {
            case "run" -> InspectRun.class;
            case "series" -> InspectSeries.class;
            case "requests" -> InspectRequests.class;
            case "request" -> InspectRequest.class;
            case "placements" -> InspectPlacements.class;
            case "faults" -> InspectFaults.class;
            case "block" -> InspectBlock.class;
            case "rank" -> InspectRank.class;
            case "expert" -> InspectExpert.class;
            case "experts" -> InspectExperts.class;
            case "events" -> InspectEvents.class;
            case "moment" -> InspectMoment.class;
            case "drafts" -> InspectDrafts.class;
            default -> throw new IllegalArgumentException(question);
        };
    }

    /** Without a question and a journal there is nothing to answer. */
    @Override
    public Integer call()
    {
        throw new ParameterException(spec.commandLine(), "a JOURNAL is missing");
    }
}
