// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandEntry;
import io.signalbox.cli.CommandRun;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;

/** The form of earlier versions, in which options asked the questions, and today's form print the same. */
class InspectArgumentsTest
{
    @TempDir
    private static Path directory;

    @BeforeAll
    static void simulate()
    {
        final CommandRun run = CommandRun.of("simulate", "--conversations", "4", "--ranks", "2", "--limit", "12",
            "--draft-tokens", "2", "--draft-acceptance", "0.5", "--no-verify", "--journal",
            directory.resolve("j").toString());
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
    }

    private static CommandRun run(final String line)
    {
        final String journal = directory.resolve("j").toString();
        return CommandRun.of(Arrays.stream(line.split(" ")).map(word -> word.equals("J") ? journal : word).toList());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
        J                                        | run J
        J --json                                 | run J --json
        --json J                                 | run --json J
        J --request 7                            | request J 7
        --request=7 J --json                     | request J 7 --json
        J --request 7 --steps                    | request J 7 --show steps
        J --steps --limit 3 --request=7 --csv    | request J 7 --show steps --limit 3 --csv
        J --request 7 --blocks --json            | request J 7 --show blocks --json
        J --block 0:17                           | block J 0:17
        J --rank 1                               | rank J 1
        J --every 2 --rank=1 --from 4 --to 12    | rank J 1 --every 2 --from 4 --to 12
        J --expert 1 --every 20                  | expert J 1 --every 20
        J --experts --from 1                     | experts J --from 1
        J --requests                             | requests J
        J --requests=true --slowest 4            | requests J --slowest 4
        J --rank 1 --requests --end length       | requests J --rank 1 --end length
        J --requests=false --rank 1              | rank J 1
        J --events --message Commit,Free         | events J --message Commit,Free
        J --events --request 7 --rank 0 --csv    | events J --request 7 --rank 0 --csv
        J --events --record 17                   | events J --record 17
        J --moment 3                             | moment J 3
        --moment=3 J --rank 1 --show blocks      | moment J 3 --rank 1 --show blocks
        J --moment=-3                            | moment -- J -3
        J --at 100 --show ranks                  | moment J record:100 --show ranks
        J --accepted-drafts                      | drafts J
        --requests --limit 2 -- J                | requests J --limit 2
        J --requests --help                      | requests --help
        J --requests --slowest 0                 | requests J --slowest 0
        J --request 99                           | request J 99
        J --events --request 99                  | events J --request 99
        """)
    void shouldPrintTheSameInTheFormerForm(final String former, final String today)
    {
        final CommandRun expected = run("inspect " + today);

        assertEquals(expected, run("inspect " + former));
        assertFalse(expected.out().isEmpty() && expected.err().isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"simulate --requests", "inspect", "inspect run J", "inspect moment J 5", "inspect --help",
        "inspect -V", "inspect --help=all"})
    void shouldLeaveOtherArgumentsAsTheyAre(final String line)
    {
        final String[] arguments = line.split(" ");

        assertSame(arguments, InspectArguments.rewritten(arguments));
    }

    /** Without it, the value of an option would be taken for the journal. */
    @Test
    void shouldKnowEveryOptionWithAValue()
    {
        CommandEntry.commands().forEach((command, spec) ->
        {
            if (command.startsWith("inspect "))
            {
                spec.options().stream().filter(option -> option.arity().max() > 0).forEach(option ->
                {
                    final List<String> today =
                        List.of(InspectArguments.rewritten("inspect", option.longestName(), "value", "--json", "J"));
                    final int journal = today.indexOf("--") + 1;
                    assertEquals("J", today.get(journal), () -> option.longestName() + ": " + today);
                });
            }
        });
    }

    /** A journal that is called like a question is given as a path. */
    @Test
    void shouldAskAJournalThatIsCalledLikeAQuestion()
    {
        assertArrayEquals(new String[]{"inspect", "run", "--", "./requests"},
            InspectArguments.rewritten("inspect", "./requests"));
    }
}
