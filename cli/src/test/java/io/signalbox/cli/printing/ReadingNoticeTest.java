// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.printing;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;

class ReadingNoticeTest
{
    private static final long SECOND_NANOS = 1_000_000_000L;

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final AtomicLong clock = new AtomicLong();

    @Test
    void shouldSayNothingOfAReadingThatIsOverSoon()
    {
        read(false, 9);

        assertEquals("", err.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldWriteALineFromTimeToTime()
    {
        read(false, 25);

        assertEquals("signalbox replay: reading a.cq4: 10.0 MiB of 100.0 MiB\n" +
            "signalbox replay: reading a.cq4: 20.0 MiB of 100.0 MiB\n", err.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldRedrawAndWipeOneLineOnATerminal()
    {
        read(true, 2);

        assertEquals("\r\u001b[Kreading a.cq4: 1.0 MiB of 100.0 MiB\r\u001b[Kreading a.cq4: 2.0 MiB of 100.0 MiB\r\u001b[K",
            err.toString(StandardCharsets.UTF_8));
    }

    private void read(final boolean terminal, final int seconds)
    {
        final Console console = new Console(new ResultStream(new ByteArrayOutputStream()),
            new PrintStream(err, true, StandardCharsets.UTF_8), terminal);
        try (ReadingNotice notice = new ReadingNotice(console, "signalbox replay", clock::get))
        {
            for (int i = 1; i <= seconds; i++)
            {
                clock.addAndGet(SECOND_NANOS);
                notice.onRead(Path.of("a.cq4"), (long)i << 20, 100L << 20);
            }
        }
    }
}
