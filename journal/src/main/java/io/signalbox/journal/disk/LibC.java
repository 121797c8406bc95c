// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.disk;

import jnr.ffi.LibraryLoader;
import jnr.ffi.Runtime;

import java.util.Locale;

/** Calls of the C library that Java does not offer; Linux only, because the constants are those of Linux. */
public final class LibC
{
    /** Close on exec, and do not wait for the other end of a pipe. */
    static final int OPEN_TO_READ = 0x80000 | 0x800;
    static final int LOCK_SHARED = 1;
    static final int LOCK_EXCLUSIVE = 2;
    static final int LOCK_DO_NOT_WAIT = 4;
    static final int SEEK_DATA = 3;
    static final int SEEK_HOLE = 4;
    /** Another process has the lock. */
    static final int WOULD_BLOCK = 11;
    /** No data follows. */
    static final int NO_SUCH_ADDRESS = 6;

    private final Calls calls;
    private final Runtime runtime;

    /** Signatures as the C library has them. */
    public interface Calls
    {
        int open(CharSequence path, int flags, int mode);

        int flock(int descriptor, int operation);

        long lseek(int descriptor, long offset, int whence);

        long pwrite(int descriptor, long address, long count, long offset);

        int close(int descriptor);
    }

    private LibC(final Calls calls)
    {
        this.calls = calls;
        runtime = Runtime.getRuntime(calls);
    }

    /** {@code null} if this system is not Linux or jnr-ffi cannot be loaded. */
    public static LibC orNull()
    {
        return Loaded.LIBRARY;
    }

    Calls calls()
    {
        return calls;
    }

    int lastError()
    {
        return runtime.getLastError();
    }

    /** Loaded at the first use: loading takes longer than reading a small journal. */
    private static final class Loaded
    {
        private static final LibC LIBRARY = load();

        private static LibC load()
        {
            if (!System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("linux"))
            {
                return null;
            }
            try
            {
                return new LibC(LibraryLoader.create(Calls.class).load("c"));
            }
            catch (final RuntimeException | LinkageError e)
            {
                // Without jnr-ffi the lock file and its identity checks remain.
                return null;
            }
        }
    }
}
