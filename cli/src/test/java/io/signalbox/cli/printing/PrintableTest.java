// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.printing;

import io.signalbox.cli.CommandRun;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/** Nothing from outside reaches a terminal that could steer it. */
class PrintableTest
{
    @Test
    void shouldReplaceWhatSteersATerminalAndNothingElse()
    {
        assertEquals("a?[31mb?c?d", Printable.text("a\u001b[31mb\u009bc\u202ed"));
        assertEquals("Modell für \ud83d\ude80 Ω", Printable.text("Modell für \ud83d\ude80 Ω"));
    }

    @Test
    void shouldNotEchoTheControlCharactersOfAnOption()
    {
        for (final String[] arguments : new String[][] {
            {"gpu", "--experts=\u001b[31m"}, {"simulate", "--\u001b[2Jx"}, {"\u001b]0;title\u0007"},
            {"replay", "/no/such\u001b[31m"}, {"simulate", "--router=\u0085\u009b"}})
        {
            final CommandRun run = CommandRun.of(arguments);

            assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
            assertFalse(run.err().strip().chars().anyMatch(Character::isISOControl), run.err());
        }
    }
}
