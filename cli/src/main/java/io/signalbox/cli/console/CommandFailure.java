// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import io.signalbox.ConfigException;
import io.signalbox.files.FileFault;
import io.signalbox.journal.JournalException;
import io.signalbox.printing.Printable;
import io.signalbox.router.RouterException;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;

/** The reason for which a command failed: one sentence and an exit code. */
public record CommandFailure(int exitCode, String sentence)
{
    public static CommandFailure of(final Throwable thrown)
    {
        return of(thrown, UnaryOperator.identity());
    }

    /** @param naming puts names that the user knows into a refusal of the library. */
    public static CommandFailure of(final Throwable thrown, final UnaryOperator<ConfigException> naming)
    {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause())
        {
            if (cause instanceof ConfigException)
            {
                return new CommandFailure(ExitCode.BAD_INPUT, naming.apply((ConfigException)cause).getMessage());
            }
            if (cause instanceof RouterException)
            {
                return new CommandFailure(ExitCode.BAD_INPUT, cause.getMessage());
            }
            if (cause instanceof JournalException)
            {
                return new CommandFailure(exitCode(((JournalException)cause).kind()), cause.getMessage());
            }
            if (cause instanceof OutOfMemoryError)
            {
                return new CommandFailure(ExitCode.BAD_INPUT, HeapShortage.sentence((OutOfMemoryError)cause));
            }
            if (cause instanceof InternalError && String.valueOf(cause.getMessage()).contains("unsafe memory access"))
            {
                return new CommandFailure(ExitCode.BAD_INPUT, "a file became shorter, or its disk failed, while it was " +
                    "read; leave the files of a command alone until it has ended, and check the disk.");
            }
            if (cause instanceof FileSystemException)
            {
                return new CommandFailure(ExitCode.BAD_INPUT, "a file cannot be used, " +
                    FileFault.reason((FileSystemException)cause) + "; check its permissions and the disk.");
            }
        }
        return new CommandFailure(ExitCode.INTERNAL,
            "an internal error, " + thrown + ", ended the command; the details are in " +
            writeDetails(thrown) + ", please report them.");
    }

    public static CommandFailure badUsage(final String problem, final String command)
    {
        final String text = oneLine(problem);
        final String sentence = text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
        return new CommandFailure(ExitCode.BAD_INPUT,
            Character.toLowerCase(sentence.charAt(0)) + sentence.substring(1) + "; see '" + command + " --help'.");
    }

    public static CommandFailure lostOutput(final String reason)
    {
        return new CommandFailure(ExitCode.BAD_INPUT, "standard output took only part of the result (" + reason +
            "); give it a place that can be written.");
    }

    public int print(final Console console, final String command)
    {
        console.err().println(command + ": " + oneLine(sentence));
        return exitCode;
    }

    /** A journal that cannot be trusted is a failed check; a place that cannot hold or read one is an environment error. */
    private static int exitCode(final JournalException.Kind kind)
    {
        switch (kind)
        {
            case NOT_A_JOURNAL:
            case ROUTER_ABSENT:
            case ALREADY_EXISTS:
            case LOCKED:
            case LOCK_LOST:
            case JVM_FLAGS:
            case BEING_WRITTEN:
            case ACCESS_DENIED:
            case DISK_FULL:
            case SYNC_FAILED:
            case STORE_FAILED:
                return ExitCode.BAD_INPUT;
            case CLOSED:
                return ExitCode.INTERNAL;
            default:
                return ExitCode.CHECK_FAILED;
        }
    }

    private static String oneLine(final String text)
    {
        return Printable.text(
            String.valueOf(text).lines().map(String::strip).reduce((first, second) -> first + " " + second).orElse(""));
    }

    private static String writeDetails(final Throwable thrown)
    {
        try
        {
            final Path file = Files.createTempFile("signalbox-error-", ".txt");
            try (PrintWriter writer = new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8)))
            {
                thrown.printStackTrace(writer);
            }
            return file.toString();
        }
        catch (final IOException e)
        {
            return "no file, since none could be written (" + e.getMessage() + ")";
        }
    }
}
