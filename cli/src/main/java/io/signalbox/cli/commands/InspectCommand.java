// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.ReadingProgress;
import io.signalbox.cli.options.InputPath;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.MomentOptions;
import io.signalbox.cli.options.OutputPath;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.cli.options.QueryOptions;
import io.signalbox.inspect.AcceptedDrafts;
import io.signalbox.inspect.JournalQuery;
import io.signalbox.inspect.MomentQuery;
import io.signalbox.inspect.NoRowsException;
import io.signalbox.inspect.RequestInspection;
import io.signalbox.inspect.RequestInspector;
import io.signalbox.inspect.TableColumn;
import io.signalbox.journal.RunMoment;
import io.signalbox.journal.StateStart;
import io.signalbox.printing.Decimals;
import io.signalbox.printing.InspectionJson;
import io.signalbox.printing.InspectionText;
import io.signalbox.printing.NewFile;
import io.signalbox.printing.OutputFile;
import io.signalbox.printing.ParquetTable;
import io.signalbox.printing.RunInspection;
import io.signalbox.printing.TablePrinter;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Answers questions about a journal: the run, its requests, one request's life, blocks, ranks, experts, messages. */
@Command(
    name = "inspect",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Ask a journal: the run, its requests, one request's life and why it got its rank.",
    customSynopsis = "signalbox inspect JOURNAL [QUESTION] [OPTIONS]",
    description = {
        "%nWithout a question: prints the run's report, as simulate does, and its settings. Tables are text, --json or " +
            "--csv; times are logical.",
        "%nWith --request: prints each placement with the router that decided, its match gate, its tie rule, and the " +
            "score and terms of each candidate rank. Times are logical, in milliseconds after the Submit. Only reads; the " +
            "journal may still be written meanwhile."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox inspect runs/0001                    the report and the settings of the run",
        "  signalbox inspect runs/0001 --request 812      one request's life and why it got its rank",
        "  signalbox inspect runs/0001 --request 812 --steps",
        "  signalbox inspect runs/0001 --requests --slowest 10",
        "  signalbox inspect runs/0001 --requests --csv > requests.csv",
        "  signalbox inspect runs/0001 --experts --from 60 --to 120",
        "  signalbox inspect runs/0001 --moment 61.5      who ran and who waited, by rank",
        "  signalbox inspect runs/0001 --events --message Commit,Free --follow",
        "  signalbox inspect runs/0001 --accepted-drafts > accepted.jsonl",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
public final class InspectCommand implements Callable<Integer>
{
    private static final String NAME = "signalbox inspect";
    private static final int DOCUMENT_BYTES = 1 << 16;
    private static final int RUN_BYTES = 1 << 18;
    private static final int TEXT_ROWS = 20;
    private static final long PAUSE_NANOS = 1_000_000_000L;
    private static final String PARQUET = "--parquet";

    private final Console console;

    @Parameters(paramLabel = "JOURNAL", description = "The journal's directory.")
    @InputPath
    private Path journal;

    @Option(names = "--request", paramLabel = "ID", description = "Show the request with this id.")
    private Long requestId;

    @ArgGroup(validate = false, heading = "%nQuestions:%n", order = 1)
    private final QueryOptions questions = new QueryOptions();

    @ArgGroup(validate = false, heading = "%nMoments:%n", order = 2)
    private final MomentOptions moment = new MomentOptions();

    @Option(names = "--limit", paramLabel = "N",
        description = "Print at most N rows of a table (default: 20 as text, all as JSON and CSV).")
    private Long limit;

    @Option(names = "--csv", description = "Print a table as CSV.")
    private boolean asCsv;

    @Option(names = PARQUET, paramLabel = "FILE", description = "Write a table to FILE, which is new, as Apache Parquet.")
    @OutputPath
    private Path parquet;

    @Option(names = "--accepted-drafts",
        description = "Print the draft tokens that each step accepted, a JSON line per request by ascending id, as " +
            "'simulate --draft-acceptance-file' reads them.")
    private boolean acceptedDrafts;

    @Mixin
    private final JsonOptions jsonOptions = new JsonOptions();

    @Mixin
    private final ProgressOption progressOption = new ProgressOption();

    public InspectCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        JournalArgument.requireNamed(journal);
        final String momentAsked = moment.asked();
        if (momentAsked != null)
        {
            printMoment(momentAsked);
            return ExitCode.OK;
        }
        final QueryOptions.Question question = questions.question(requestId, journal);
        checkChoice(question != null ? "A table" : null);
        RemovedRecords.note(console, NAME, journal);
        if (acceptedDrafts)
        {
            printAcceptedDrafts();
        }
        else if (question != null)
        {
            printTable(question);
        }
        else if (requestId == null)
        {
            printRun();
        }
        else
        {
            printRequest();
        }
        return ExitCode.OK;
    }

    /** @param table what is asked for, as the beginning of a sentence; {@code null} if it is no table. */
    private void checkChoice(final String table)
    {
        checkForm(table);
        if (acceptedDrafts && (requestId != null || table != null))
        {
            throw new ConfigException((requestId != null ? "--request" : table) +
                " and --accepted-drafts exclude each other; leave one out.");
        }
        if (acceptedDrafts && (jsonOptions.isJson() || jsonOptions.file() != null))
        {
            throw new ConfigException("--accepted-drafts prints a JSON line per request; leave out --json and " +
                JsonOptions.FILE_OPTION + ".");
        }
    }

    private void checkForm(final String table)
    {
        if (table == null && (asCsv || parquet != null || limit != null))
        {
            throw new ConfigException((asCsv ? "--csv" : parquet != null ? PARQUET : "--limit") +
                " is for tables, and no table is asked for; leave it out.");
        }
        if (table != null && jsonOptions.file() != null)
        {
            throw new ConfigException(JsonOptions.FILE_OPTION + " is for documents of known size; print the table with " +
                "--json and direct it to a file.");
        }
        if (asCsv && jsonOptions.isJson() || parquet != null && (asCsv || jsonOptions.isJson()))
        {
            throw new ConfigException((asCsv ? "--csv" : PARQUET) + " and " + (jsonOptions.isJson() ? "--json" : PARQUET) +
                " exclude each other; leave one out.");
        }
        if (limit != null && limit < 1)
        {
            throw new ConfigException("--limit=" + limit + " is below 1; give the number of rows to print.");
        }
    }

    private void printTable(final QueryOptions.Question question)
    {
        if (parquet != null && questions.follows())
        {
            throw new ConfigException("--follow lists what is new, and " + PARQUET + " writes a whole file; leave one out.");
        }
        if (parquet != null)
        {
            writeTable(question.query().columns(), table ->
            {
                final RequestInspection.JournalEnd end = answer(question, table);
                table.conclude(console.out(), end, question.query().missingRows());
            });
            return;
        }
        final TablePrinter printer = printer(question.schema(), question.query().columns());
        final RequestInspection.JournalEnd end =
            questions.follows() ? follow(question, printer) : answer(question, printer);
        final Long missing = question.query().missingRows();
        printer.conclude(end, missing);
        if (asCsv && missing != null && missing > 0)
        {
            console.err().println(NAME + ": left out: " + TablePrinter.missingRows(missing) + ".");
        }
    }

    private RequestInspection.JournalEnd follow(final QueryOptions.Question question, final TablePrinter printer)
    {
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, NAME)))
        {
            return question.query().follow(journal, progress.before(printer), progress, () ->
            {
                printer.flush();
                LockSupport.parkNanos(printer.isFull() ? 0 : PAUSE_NANOS);
                return !printer.isFull();
            });
        }
        catch (final NoRowsException e)
        {
            throw unanswered(e);
        }
    }

    private void writeTable(final List<TableColumn> columns, final Consumer<ParquetTable> answer)
    {
        try (NewFile file = NewFile.create(PARQUET, parquet))
        {
            answer.accept(new ParquetTable(file, columns, limit != null ? limit : Long.MAX_VALUE));
        }
    }

    private TablePrinter printer(final String schema, final List<TableColumn> columns)
    {
        final TablePrinter.Form form = asCsv ? TablePrinter.Form.CSV :
            jsonOptions.isJson() ? TablePrinter.Form.JSON : TablePrinter.Form.TEXT;
        final boolean isShort = form == TablePrinter.Form.TEXT && !questions.follows();
        final long rows = limit != null ? limit : isShort ? TEXT_ROWS : Long.MAX_VALUE;
        return new TablePrinter(console.out(), form, schema, journal, columns, rows);
    }

    private void printMoment(final String asked)
    {
        final int rank = questions.rankOfMoment(asked, requestId);
        checkChoice(asked);
        final MomentQuery query = moment.query(rank, journal);
        if (parquet != null)
        {
            writeTable(query.columns(), table -> table.conclude(console.out(), answer(query, table)));
            return;
        }
        final TablePrinter printer = printer(moment.schema(), query.columns());
        printer.conclude(answer(query, printer));
    }

    private RunMoment answer(final MomentQuery query, final JournalQuery.RowReceiver rows)
    {
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, NAME)))
        {
            return query.run(journal, progress.before(rows), progress);
        }
    }

    private RequestInspection.JournalEnd answer(final QueryOptions.Question question, final JournalQuery.RowReceiver rows)
    {
        final RequestInspection.JournalEnd end;
        final boolean hasRows;
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, NAME)))
        {
            end = question.query().run(journal, progress.before(rows), progress);
            hasRows = progress.hasRows();
        }
        catch (final NoRowsException e)
        {
            throw unanswered(e);
        }
        if (!hasRows && requestId != null)
        {
            // A wrong id would find nothing, which looks like an answer.
            inspect();
        }
        return end;
    }

    private ConfigException unanswered(final NoRowsException e)
    {
        return new ConfigException(journal + " cannot answer this: " + e.getMessage() + "; ask something else, or give " +
            "another journal.");
    }

    private void printRun()
    {
        try (OutputFile file = jsonOptions.reserve(RUN_BYTES))
        {
            final RunInspection run = inspectRun();
            jsonOptions.print(console, file, run::json, () -> run.print(console.out()));
        }
    }

    private RunInspection inspectRun()
    {
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, NAME));
            StateStart start = StateStart.of(journal, progress))
        {
            return RunInspection.read(journal, start);
        }
    }

    private void printRequest()
    {
        try (OutputFile file = jsonOptions.reserve(DOCUMENT_BYTES))
        {
            final RequestInspection inspection = inspect();
            jsonOptions.print(console, file, () -> InspectionJson.text(journal, inspection),
                () -> InspectionText.print(console.out(), inspection));
        }
    }

    private void printAcceptedDrafts()
    {
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, NAME)))
        {
            final AcceptedDrafts drafts = AcceptedDrafts.read(journal, progress);
            for (final int[] counts : drafts.counts().values())
            {
                console.out().print("{\"accepted\": " + Arrays.toString(counts) + "}\n");
            }
            console.out().flush();
            if (drafts.unfinished() > 0)
            {
                console.err().println(NAME + ": left out: later steps of " +
                    Decimals.counted(drafts.unfinished(), "request") + " that had not ended.");
            }
        }
    }

    private RequestInspection inspect()
    {
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, NAME)))
        {
            final RequestInspection inspection = RequestInspector.inspect(journal, requestId, progress);
            if (inspection.lives().isEmpty())
            {
                throw new ConfigException("--request=" + requestId + " is not in " + journal + ", " + known(inspection));
            }
            return inspection;
        }
    }

    private static String known(final RequestInspection inspection)
    {
        final RequestInspection.SubmittedIds submitted = inspection.submitted();
        return submitted.count() == 0
            ? "which holds no request" + (inspection.end() == RequestInspection.JournalEnd.BEING_WRITTEN ? " yet" : "") +
                "; give another journal."
            : "whose " + Decimals.grouped(submitted.count()) + " requests have ids from " + submitted.lowestId() + " to " +
                submitted.highestId() + "; give one of them.";
    }
}
