// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.GroupWriter;
import io.signalbox.image.SchedulerImage;
import org.agrona.DirectBuffer;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Gives every input of a scheduler to a second one as well, which is replaced by a copy of its image every few inputs. Both
 * must write the same bytes and have the same digest.
 */
final class ImageCheck
{
    private final SchedulerConfig config;
    private final GroupWriter group = new GroupWriter(1024);
    private final int every;
    private Scheduler second;
    private int inputs;

    /** @param every inputs from one copy to the next. */
    ImageCheck(final SchedulerConfig config, final int every)
    {
        this.config = config;
        this.every = every;
        second = new Scheduler(config);
    }

    /** @param written the group that the first scheduler has written for the input. */
    void onInput(
        final DirectBuffer input,
        final int length,
        final DirectBuffer rows,
        final Scheduler first,
        final GroupWriter written)
    {
        if (++inputs % every == 0)
        {
            second = copy(config, second);
        }
        group.reset();
        second.apply(input, 0, length, rows, 0, group);
        assertArrayEquals(bytes(written), bytes(group), () -> "the group behind an image, input " + inputs);
        assertEquals(first.stateDigest(), second.stateDigest(), () -> "state behind an image, input " + inputs);
    }

    /** What the engine asks between two inputs. */
    private static List<Object> said(final Scheduler scheduler)
    {
        return List.of(scheduler.wantsWake(), scheduler.nextDeadlineNanos(), scheduler.timeNanos(),
            scheduler.liveRequests(), scheduler.ignoredCompletions(), scheduler.awaitedWeights());
    }

    private static byte[] bytes(final GroupWriter group)
    {
        final byte[] bytes = new byte[group.length()];
        group.buffer().getBytes(0, bytes);
        return bytes;
    }

    /** A scheduler of the image of another one, whose image has the same bytes. */
    static Scheduler copy(final SchedulerConfig config, final Scheduler scheduler)
    {
        try
        {
            final byte[] image = image(scheduler);
            final Scheduler copy = SchedulerImage.read(config, new ByteArrayInputStream(image), image.length);
            assertArrayEquals(image, image(copy), "the image of a scheduler of an image");
            assertEquals(said(scheduler), said(copy), "what the engine is told by a scheduler of an image");
            return copy;
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    static byte[] image(final Scheduler scheduler)
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try
        {
            SchedulerImage.write(scheduler, bytes);
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
