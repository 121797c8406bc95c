// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.printing.Json;
import io.signalbox.printing.Printable;
import org.junit.jupiter.api.Test;

import java.io.IOException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
    void shouldEscapeWhatSteersATerminalInJson() throws IOException
    {
        final String name = "a\u001b[31m\u007fb\u009bcü\ud83d\ude80";
        final String json = Json.text("signalbox.test/1", body -> body.writeStringField(name, name));

        assertFalse(json.replace("\n", "").chars().anyMatch(Character::isISOControl), json);
        assertTrue(json.contains("ü\ud83d\ude80"), json);
        assertEquals(name, JsonText.leaves(json).get(name));
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
