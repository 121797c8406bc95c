// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** One command line with its files. A case is a value: it can be laid out and run as often as is needed. */
interface FuzzCase
{
    /** Writes the case's files into an empty directory. */
    void prepare(Path directory) throws IOException;

    /** The command line; the files are named by absolute paths. */
    List<String> arguments(Path directory);

    /** Exit codes that are right for some such case. */
    Set<Integer> exitCodes();

    /** Properties beyond those that every command keeps; returns complaints. */
    default List<String> check(final Path directory, final Outcome outcome, final Target target) throws IOException
    {
        return List.of();
    }

    /** Description of the changes to the input; empty if the command line shows them. */
    default String story()
    {
        return "";
    }

    /** This case, which jqwik shrinks to a case with fewer options, lines or changes. */
    default Arbitrary<? extends FuzzCase> withFewerParts()
    {
        return Arbitraries.just(this);
    }

    /** Starts the case's own threads; called directly ahead of the command. */
    default void begin()
    {
    }

    /** Ends the case's own threads; called after the command has returned. */
    default void conclude()
    {
    }

    /** Whether the case's own threads leave its files alone, so that a change of one is the command's. */
    default boolean keepsFiles()
    {
        return true;
    }
}
