// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.disk;

import io.signalbox.journal.JournalException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Removes files one after the other. One that stays does not keep the others: the first failure is thrown at the end. */
public final class Removing
{
    private final Path directory;
    private Path failed;
    private IOException failure;

    /** @param directory in which the files are, for the sentence of a failure. */
    public Removing(final Path directory)
    {
        this.directory = directory;
    }

    /** Removes a file or an empty directory; false if it is still there. One that is gone is as good as removed. */
    public boolean remove(final Path path)
    {
        try
        {
            Files.deleteIfExists(path);
            return true;
        }
        catch (final IOException e)
        {
            failed(path, e);
            return false;
        }
    }

    public void failed(final Path path, final IOException e)
    {
        if (failure == null)
        {
            failed = path;
            failure = e;
        }
    }

    /** @throws JournalException STORE_FAILED or ACCESS_DENIED, with the first file that stays. */
    public void requireDone()
    {
        if (failure != null)
        {
            throw StoreFault.writing(failed + " cannot be removed", directory, failure);
        }
    }
}
