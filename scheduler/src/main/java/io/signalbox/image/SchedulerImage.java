// SPDX-License-Identifier: Apache-2.0
package io.signalbox.image;

import io.signalbox.ConfigException;
import io.signalbox.saved.UnfitImageException;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/**
 * The whole state of a scheduler between two inputs, with its routed-expert rows and its digest. A scheduler made of it
 * makes, bit for bit, the decisions that the other would have made.
 *
 * <p>A later version of this program reads an image of an earlier one: fields are added at the ends of records only.
 */
public final class SchedulerImage
{
    private SchedulerImage()
    {
    }

    /** This program, as far as it knows its version. */
    public static String program()
    {
        final String version = SchedulerImage.class.getPackage().getImplementationVersion();
        return version == null ? "Signalbox of unknown version" : "Signalbox " + version;
    }

    /**
     * Writes an image. The scheduler is not changed.
     *
     * @throws ConfigException if the state of the router exceeds the largest snapshot.
     */
    public static void write(final Scheduler scheduler, final OutputStream target) throws IOException
    {
        try
        {
            scheduler.save(new FieldWriter(target));
            target.flush();
        }
        catch (final UncheckedIOException e)
        {
            throw e.getCause();
        }
    }

    /**
     * Makes a scheduler of an image.
     *
     * @param config the one of the scheduler that was written.
     * @param length bytes of the image; the source may have more.
     * @throws UnfitImageException if the bytes are no image, or one of another configuration.
     */
    public static Scheduler read(final SchedulerConfig config, final InputStream source, final long length)
        throws IOException
    {
        final Scheduler scheduler = new Scheduler(config);
        try
        {
            scheduler.save(new FieldReader(source, length));
            return scheduler;
        }
        catch (final UncheckedIOException e)
        {
            if (e.getCause() instanceof EOFException)
            {
                throw new UnfitImageException("it ends early", e);
            }
            throw e.getCause();
        }
        catch (final UnfitImageException e)
        {
            throw e;
        }
        catch (final RuntimeException e)
        {
            // Whatever wrong bytes lead to is a fault of the image: the scheduler is not used.
            throw new UnfitImageException("it cannot be read (" + e.getMessage() + ")", e);
        }
    }
}
