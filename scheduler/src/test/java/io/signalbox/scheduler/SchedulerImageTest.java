// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import com.sun.management.ThreadMXBean;
import io.signalbox.TestStrength;
import io.signalbox.experts.ModelShape;
import io.signalbox.image.SchedulerImage;
import io.signalbox.saved.UnfitImageException;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A scheduler of an image continues as the one that was written; damaged images are refused. */
final class SchedulerImageTest
{
    private static final int RUNS = TestStrength.count(8, 4_000);

    private static final long MOST_BYTES_PER_BYTE = 32;

    @Test
    void shouldDecideAsTheSchedulerThatWasWritten()
    {
        assertNull(ImageRuns.firstFailure(RUNS));
    }

    private static SchedulerConfig.Builder config()
    {
        return SchedulerConfig.builder().ranks(2).blockSizeTokens(4).kvBlocks(24).capture(new ModelShape(2, 64, 3));
    }

    private static SchedulerHarness busy()
    {
        final SchedulerHarness harness = new SchedulerHarness(config().build());
        for (int id = 1; id < 7; id++)
        {
            harness.submit(id, 1, 2, 14, 5);
        }
        harness.wake();
        harness.complete(0);
        return harness;
    }

    @Test
    void shouldRefuseAnImageOfAnotherConfiguration()
    {
        final byte[] image = ImageCheck.image(busy().scheduler);

        assertThrows(UnfitImageException.class, () -> read(config().ranks(3).build(), image));
    }

    @Test
    void shouldRefuseAnImageThatEndsEarly()
    {
        final byte[] image = ImageCheck.image(busy().scheduler);

        for (int length = 0; length < image.length; length += 97)
        {
            final byte[] part = Arrays.copyOf(image, length);
            assertThrows(UnfitImageException.class, () -> read(config().build(), part));
        }
    }

    /** A later version has added fields at the end of each record. */
    @Test
    void shouldSkipFieldsThatItDoesNotKnow() throws IOException
    {
        final SchedulerHarness harness = busy();
        final LaterFields later = new LaterFields();
        harness.scheduler.save(later);

        final byte[] image = later.bytes();
        assertTrue(image.length > ImageCheck.image(harness.scheduler).length + 300);
        final byte[] read = ImageCheck.image(read(config().build(), image));
        assertArrayEquals(ImageCheck.image(harness.scheduler), read);
    }

    /** Most flips are found by the digest; those in scratch space change nothing. None leads to anything else. */
    @Test
    void shouldRefuseDamagedImagesOrReadTheSameState() throws IOException
    {
        final SchedulerHarness harness = busy();
        final byte[] image = ImageCheck.image(harness.scheduler);
        final Random random = new Random(5);
        int refused = 0;
        for (int i = 0; i < TestStrength.count(300, 100_000); i++)
        {
            final byte[] damaged = image.clone();
            damaged[random.nextInt(damaged.length)] ^= (byte)(1 << random.nextInt(Byte.SIZE));
            try
            {
                assertEquals(harness.scheduler.stateDigest(), read(config().build(), damaged).stateDigest());
            }
            catch (final UnfitImageException e)
            {
                refused++;
            }
        }
        assertTrue(refused > 0);
    }

    /** A length is compared with the remaining bytes before memory is allocated for it. */
    @Test
    void shouldNotTakeMemoryForALengthThatTheImageDoesNotHave() throws IOException
    {
        final byte[] image = ImageCheck.image(busy().scheduler);
        final long most = allocated(image) + MOST_BYTES_PER_BYTE * image.length;
        final int places = image.length - Integer.BYTES;
        final int step = Math.max(1, places / TestStrength.count(100, places));
        for (int place = 0; place < places; place += step)
        {
            for (final int length : new int[] {(1 << 28) - 1, (1 << 28) - 2, Integer.MAX_VALUE, -1})
            {
                final byte[] forged = image.clone();
                ByteBuffer.wrap(forged).order(ByteOrder.LITTLE_ENDIAN).putInt(place, length);
                // The first message of a kind costs more than its text.
                final long allocated = Math.min(allocated(forged), allocated(forged));
                assertTrue(allocated <= most, "byte " + place + ", length " + length + ": " + allocated + " bytes");
            }
        }
    }

    private static long allocated(final byte[] image) throws IOException
    {
        final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        final SchedulerConfig config = config().build();
        final long before = threads.getCurrentThreadAllocatedBytes();
        try
        {
            read(config, image);
        }
        catch (final UnfitImageException e)
        {
            assertFalse(e.getMessage().isEmpty());
        }
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    private static Scheduler read(final SchedulerConfig config, final byte[] image) throws IOException
    {
        return SchedulerImage.read(config, new ByteArrayInputStream(image), image.length);
    }
}
