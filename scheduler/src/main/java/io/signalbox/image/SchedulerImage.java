// SPDX-License-Identifier: Apache-2.0
package io.signalbox.image;

import io.signalbox.ConfigException;
import io.signalbox.batch.Request;
import io.signalbox.experts.RoutedExpertPages;
import io.signalbox.router.DpRouter;
import io.signalbox.router.RouterSnapshot;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;

import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UTFDataFormatException;
import java.lang.reflect.Constructor;

/**
 * The whole state of a scheduler between two inputs: its objects field by field, the state of its router as a
 * {@link RouterSnapshot}, and its digest. A scheduler made of it makes, bit for bit, the decisions that the other would have
 * made, and stores rows in the same pages.
 *
 * <p>Only a program whose classes have the same fields reads an image; any other refuses it by name.
 */
public final class SchedulerImage
{
    private final SchedulerConfig config;
    private RoutedExpertPages pages;
    private DpRouter router;

    private SchedulerImage(final SchedulerConfig config)
    {
        this.config = config;
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
        final byte[] routerState = scheduler.routerSnapshot();
        final DataOutputStream out = new DataOutputStream(target);
        new ObjectWriter(out).write(scheduler);
        out.writeInt(routerState.length);
        out.write(routerState);
        out.writeLong(scheduler.stateDigest());
        out.flush();
    }

    /**
     * Makes a scheduler of an image.
     *
     * @param config the one of the scheduler that was written.
     * @param length bytes of the image; the source may have more.
     * @throws UnfitImageException if the bytes are no image, or one of another program or configuration.
     */
    public static Scheduler read(final SchedulerConfig config, final InputStream source, final long length)
        throws IOException
    {
        try
        {
            return new SchedulerImage(config).read(new ImageInput(source, length));
        }
        catch (final EOFException e)
        {
            throw new UnfitImageException("it ends early", e);
        }
        catch (final UnfitImageException e)
        {
            throw e;
        }
        catch (final UTFDataFormatException | RuntimeException | StackOverflowError e)
        {
            // Whatever wrong bytes lead to is a fault of the image: the scheduler is not used.
            throw new UnfitImageException("it cannot be read (" + e.getMessage() + ")", e);
        }
    }

    private Scheduler read(final ImageInput in) throws IOException
    {
        final Scheduler scheduler = new Scheduler(config);
        final ClassLoader loader = Scheduler.class.getClassLoader();
        pages = scheduler.pages();
        if (new ObjectReader(in, loader, this::make, this::keep).read(scheduler) != scheduler)
        {
            throw new UnfitImageException("it is not one of a scheduler");
        }
        final int routerBytes = in.readInt();
        if (routerBytes < 0 || routerBytes > Math.min(RouterSnapshot.MAX_BYTES, in.left()) || router == null)
        {
            throw new UnfitImageException("it has a state of " + routerBytes + " bytes of its router");
        }
        final byte[] routerState = in.readNBytes(routerBytes);
        RouterSnapshot.restore(routerState, config.router().deciding(config.prefixCaching()), router, config.ranks());
        if (in.readLong() != scheduler.stateDigest())
        {
            throw new UnfitImageException("its state does not have its digest");
        }
        return scheduler;
    }

    private void keep(final Object object)
    {
        router = object instanceof DpRouter found ? found : router;
    }

    private Object make(final Class<?> type)
    {
        if (type == Request.class)
        {
            return new Request(pages);
        }
        try
        {
            final Constructor<?> constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            return constructor.newInstance();
        }
        catch (final ReflectiveOperationException e)
        {
            throw new UnfitImageException("it has a further object of " + type.getName(), e);
        }
    }
}
