// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.ConfigException;
import io.signalbox.PluginFault;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The state of a router, as bytes. A router restored from it continues exactly as the original would have.
 *
 * <p>Little endian: magic {@code SBRS}, layout version, ranks, router version, length of the label, all int32; the label;
 * the router's digest, int64; length of the state, int32; the state. The digest is checked after reading, which detects
 * damaged bytes and fields that a router forgets to write.
 */
public final class RouterSnapshot
{
    /** Larger than any snapshot of a router with default settings. */
    public static final int MAX_BYTES = 8 * 1024 * 1024;
    private static final int VERSION = 2;
    private static final int MAGIC = 0x5352_4253;
    private static final int VERSION_AT = 3 * Integer.BYTES;
    private static final int FIXED_BYTES = 6 * Integer.BYTES + Long.BYTES;

    private RouterSnapshot()
    {
    }

    /**
     * Takes the snapshot of a router between two batches.
     *
     * @param provider what made the router.
     * @throws ConfigException if its state exceeds {@link #MAX_BYTES}.
     */
    public static byte[] of(final DpRouterProvider provider, final DpRouter router, final int ranks)
    {
        return of(provider, provider.version(), router, ranks);
    }

    /**
     * The same of a version of the router that is not installed, whose decisions are repeated from a record.
     *
     * @param version of the router.
     */
    public static byte[] of(
        final DpRouterProvider provider, final int version, final DpRouter router, final int ranks)
    {
        final byte[] label = provider.label().getBytes(StandardCharsets.US_ASCII);
        final long length = FIXED_BYTES + label.length + router.snapshotBytes();
        if (router.snapshotBytes() < 0)
        {
            throw new RouterException("announced a snapshot of " + router.snapshotBytes() + " bytes").by(provider);
        }
        if (length > MAX_BYTES)
        {
            throw new ConfigException("the " + provider.label() + " router remembers " + length +
                " bytes, and a snapshot holds at most " + MAX_BYTES +
                "; let it remember less.");
        }
        final ByteBuffer bytes = ByteBuffer.allocate((int)length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(MAGIC).putInt(VERSION).putInt(ranks).putInt(version).putInt(label.length).put(label);
        bytes.putLong(router.digest()).putInt((int)router.snapshotBytes());
        router.snapshot(bytes);
        if (bytes.hasRemaining())
        {
            throw new RouterException("wrote " + bytes.remaining() + " bytes less into its snapshot than it announced")
                .by(provider);
        }
        return bytes.array();
    }

    /**
     * Restores the state of a snapshot in a router that has placed nothing yet. After an exception the router must not be
     * used.
     *
     * @param provider what made the router.
     * @throws ConfigException if the bytes are no snapshot, if it is of another router, version or number of ranks, or if
     *     a router with these knobs cannot have its state.
     */
    public static void restore(
        final byte[] snapshot, final DpRouterProvider provider, final DpRouter router, final int ranks)
    {
        try
        {
            read(ByteBuffer.wrap(snapshot).order(ByteOrder.LITTLE_ENDIAN), provider, router, ranks);
        }
        catch (final BufferUnderflowException e)
        {
            throw new ConfigException("the router snapshot ends after " + snapshot.length +
                " bytes, before its state does; give a whole one.");
        }
    }

    /**
     * The version of the router whose state a snapshot has.
     *
     * @throws ConfigException if the bytes are no snapshot.
     */
    public static int version(final byte[] snapshot)
    {
        if (snapshot.length < FIXED_BYTES)
        {
            throw new ConfigException("the router snapshot has " + snapshot.length + " bytes; give a whole one.");
        }
        return ByteBuffer.wrap(snapshot).order(ByteOrder.LITTLE_ENDIAN).getInt(VERSION_AT);
    }

    /**
     * The digest of the state in the snapshot of a version that is not installed; the state itself is not read.
     *
     * @throws ConfigException if the bytes are no snapshot, or it is of another router or number of ranks.
     */
    public static long digest(final byte[] snapshot, final DpRouterProvider provider, final int ranks)
    {
        final int version = version(snapshot);
        try
        {
            return header(ByteBuffer.wrap(snapshot).order(ByteOrder.LITTLE_ENDIAN), provider, version, ranks);
        }
        catch (final BufferUnderflowException e)
        {
            throw new ConfigException("the router snapshot ends after " + snapshot.length +
                " bytes, before its state does; give a whole one.");
        }
    }

    private static void read(
        final ByteBuffer bytes, final DpRouterProvider provider, final DpRouter router, final int ranks)
    {
        final long digest = header(bytes, provider, provider.version(), ranks);
        restore(bytes, provider, router, ranks);
        if (bytes.hasRemaining() || router.digest() != digest)
        {
            throw new ConfigException("the router snapshot does not yield the state that it was taken of (digest " +
                Long.toHexString(digest) + "); it is damaged, or the router " + provider.label() +
                " does not write all of its state.");
        }
    }

    /** Reads up to the state; returns the digest. */
    private static long header(
        final ByteBuffer bytes, final DpRouterProvider provider, final int version, final int ranks)
    {
        if (bytes.getInt() != MAGIC)
        {
            throw new ConfigException("the router snapshot does not begin with SBRS; it is damaged.");
        }
        checkSame("version", Integer.toString(bytes.getInt()), Integer.toString(VERSION));
        final int ranksThen = bytes.getInt();
        final int routerVersion = bytes.getInt();
        checkSame("router", label(bytes), provider.label());
        checkSame("router version", Integer.toString(routerVersion), Integer.toString(version));
        checkSame("number of ranks", Integer.toString(ranksThen), Integer.toString(ranks));
        final long digest = bytes.getLong();
        if (bytes.getInt() != bytes.remaining())
        {
            throw new ConfigException("the router snapshot holds " + bytes.remaining() +
                " bytes of state, another number than it says; it is damaged.");
        }
        return digest;
    }

    /** Exceptions that a router throws on a damaged state are faults of the snapshot. */
    private static void restore(
        final ByteBuffer bytes, final DpRouterProvider provider, final DpRouter router, final int ranks)
    {
        try
        {
            router.restore(bytes, ranks);
        }
        catch (final ConfigException | BufferUnderflowException e)
        {
            throw e;
        }
        catch (final Throwable e)
        {
            throw new ConfigException("the router snapshot has a state that the " + provider.label() +
                " router cannot read (" + PluginFault.of(e) + "); it is damaged.");
        }
    }

    private static String label(final ByteBuffer bytes)
    {
        final int length = bytes.getInt();
        if (length < 0 || length > DpRouterProvider.MAX_LABEL_LENGTH)
        {
            throw new ConfigException("the router snapshot names a router of " + length +
                " bytes; it is damaged.");
        }
        final byte[] label = new byte[length];
        bytes.get(label);
        return new String(label, StandardCharsets.US_ASCII);
    }

    private static void checkSame(final String what, final String then, final String now)
    {
        if (!then.equals(now))
        {
            throw new ConfigException("the " + what + " of the router snapshot is " + then + " and not " + now +
                "; give a snapshot of this " + what + ".");
        }
    }

    /** @throws ConfigException unless the rank is one of {@code ranks}. */
    public static int rank(final int rank, final int ranks)
    {
        if (rank < 0 || rank >= ranks)
        {
            throw new ConfigException("the router snapshot names rank " + rank + " of " + ranks +
                "; it is damaged.");
        }
        return rank;
    }
}
