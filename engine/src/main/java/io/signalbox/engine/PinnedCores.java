// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import jnr.ffi.LibraryLoader;
import jnr.ffi.annotations.In;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Pins the threads of the rings to cores, by a call of the C library: Linux only, through the optional library jnr-ffi.
 * Only the class {@link Calls} knows that library, so an engine that pins nothing runs without it.
 */
final class PinnedCores
{
    static final int SCHEDULER = 0;
    /** The first of the handlers of the track; dispatch and listener follow. */
    static final int JOURNAL = 1;
    static final Setting<Optional<List<Integer>>> SETTING = Setting.form("pinnedCores", "", List.of(0, 1, 2, 3),
        "four numbers of cores, such as 2,3,4,5 or 2,3,3,4", PinnedCores::parse, PinnedCores::print,
        "Cores of the scheduler, journal, dispatch and listener thread, in this order; one thread for the last three " +
            "is on the journal's. Spinning threads need different ones. Needs Linux and the library jnr-ffi.")
        .orAbsent("not pinned");
    /** As many as Linux supports in one mask of the C library. */
    private static final int MOST_CORES = 1024;

    /** {@code null} if no thread is pinned. */
    private final List<Integer> cores;

    /**
     * @param spinningThreads threads that spin, each on the next core; 0 if they wait otherwise.
     * @throws ConfigException if a thread cannot be pinned to one of the cores.
     */
    PinnedCores(final List<Integer> cores, final int spinningThreads)
    {
        this.cores = cores;
        if (cores != null)
        {
            refuseSharedSpinning(spinningThreads);
            cores.stream().distinct().forEach(this::tryOut);
        }
    }

    private void refuseSharedSpinning(final int spinningThreads)
    {
        if (cores.stream().limit(spinningThreads).distinct().count() < spinningThreads)
        {
            throw ConfigException.because(SETTING.of(Optional.of(cores)), " gives two spinning threads one core")
                .allowed(spinningThreads + " different cores")
                .remedy("give each of the " + spinningThreads + " threads a different core, or wait by blocking");
        }
    }

    /** In a thread that ends, because the caller's thread is not the engine's to pin. */
    private void tryOut(final int core)
    {
        final String[] fault = new String[1];
        final Thread thread = new Thread(() -> fault[0] = faultOf(core), "signalbox-pin");
        thread.start();
        boolean interrupted = false;
        while (thread.isAlive())
        {
            try
            {
                thread.join();
            }
            catch (final InterruptedException e)
            {
                interrupted = true;
            }
        }
        if (interrupted)
        {
            Thread.currentThread().interrupt();
        }
        if (fault[0] != null)
        {
            throw ConfigException.because(SETTING.of(Optional.of(cores)), " cannot be had: " + fault[0])
                .allowed("cores of this process").remedy("give cores on which this process may run, or pin none");
        }
    }

    /** Pins the current thread, if its role has a core. */
    void pin(final int role)
    {
        final String fault = cores == null ? null : faultOf(cores.get(role));
        if (fault != null)
        {
            throw new IllegalStateException("the thread " + Thread.currentThread().getName() +
                " cannot be pinned any more: " + fault);
        }
    }

    /** Pins the current thread; returns why it could not, or {@code null}. */
    private static String faultOf(final int core)
    {
        try
        {
            return Calls.pin(core) ? null : "the system refuses core " + core;
        }
        catch (final RuntimeException | LinkageError e)
        {
            return "the library jnr-ffi is not on the class path, or finds no sched_setaffinity here (" + e + ")";
        }
    }

    private static List<Integer> parse(final String text)
    {
        if (!text.matches("\\d{1,4}(,\\d{1,4}){3}"))
        {
            return null;
        }
        final List<Integer> cores = Arrays.stream(text.split(",")).map(Integer::valueOf).toList();
        return cores.stream().allMatch(core -> core < MOST_CORES) ? cores : null;
    }

    static String print(final List<Integer> cores)
    {
        return cores.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /** The C library, loaded at the first use. */
    private static final class Calls
    {
        private static final CLibrary LIBRARY = LibraryLoader.create(CLibrary.class).load("c");

        private static boolean pin(final int core)
        {
            final byte[] mask = new byte[MOST_CORES / Byte.SIZE];
            mask[core / Byte.SIZE] = (byte)(1 << core % Byte.SIZE);
            return LIBRARY.sched_setaffinity(0, mask.length, mask) == 0;
        }
    }

    /** Signatures as the C library has them; process 0 is the current thread. */
    public interface CLibrary
    {
        int sched_setaffinity(int process, long maskBytes, @In byte[] mask);
    }
}
