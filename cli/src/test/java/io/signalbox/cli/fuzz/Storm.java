// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that makes, renames and removes files in a directory while a command works there. A seed decides its actions,
 * but not their times. If a file that it made is gone, the command removed it.
 */
final class Storm implements Runnable
{
    private static final List<String> NAMES = List.of("notes.txt", "data.bin", "segment-00009.old", "lock.old", ".swp");

    private final Path directory;
    private final boolean rough;
    private final SplittableRandom random;
    private final List<String> complaints = new ArrayList<>();
    private final Thread thread = new Thread(this, "storm");
    private volatile boolean over;

    /** @param rough also makes, renames and removes lock files and segments. */
    Storm(final Path directory, final boolean rough, final long seed)
    {
        this.directory = directory;
        this.rough = rough;
        random = new SplittableRandom(seed);
        thread.setDaemon(true);
    }

    void start()
    {
        thread.start();
    }

    /** Ends the thread; what it saw is complete then. */
    List<String> stop()
    {
        over = true;
        try
        {
            thread.join();
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
        return List.copyOf(complaints);
    }

    @Override
    public void run()
    {
        while (!over)
        {
            try
            {
                if (rough && random.nextInt(3) == 0)
                {
                    disturb();
                }
                else
                {
                    visit(directory.resolve(NAMES.get(random.nextInt(NAMES.size()))));
                }
                LockSupport.parkNanos(random.nextInt(2_000_000));
            }
            catch (final IOException e)
            {
                // The directory itself comes and goes.
                LockSupport.parkNanos(100_000);
            }
        }
    }

    /** Makes a file, leaves it for a while, renames it, and takes it away again. */
    private void visit(final Path file) throws IOException
    {
        if (!Files.isDirectory(file.getParent()))
        {
            LockSupport.parkNanos(20_000);
            return;
        }
        Files.writeString(file, "mine");
        LockSupport.parkNanos(random.nextInt(3_000_000));
        final Path renamed = random.nextBoolean() ? file : file.resolveSibling("renamed");
        try
        {
            if (!renamed.equals(file))
            {
                Files.move(file, renamed);
            }
            if (!"mine".equals(Files.readString(renamed)))
            {
                complaints.add("storm: " + renamed + " was changed");
            }
            Files.delete(renamed);
        }
        catch (final NoSuchFileException e)
        {
            complaints.add("storm: " + e.getFile() + ", which the command did not make, is gone");
        }
    }

    private void disturb() throws IOException
    {
        final Path lock = directory.resolve("lock");
        final Path segment = directory.resolve("segment-0000" + random.nextInt(3));
        try
        {
            switch (random.nextInt(6))
            {
                case 0 -> Files.deleteIfExists(lock);
                case 1 -> Files.writeString(lock, "1");
                case 2 -> Files.createDirectory(segment);
                case 3 -> Files.deleteIfExists(segment);
                case 4 -> moveAndBack(segment);
                default -> moveAndBack(lock);
            }
        }
        catch (final FileAlreadyExistsException e)
        {
            // Someone else was first; the next disturbance is another one.
            LockSupport.parkNanos(1);
        }
    }

    private void moveAndBack(final Path path) throws IOException
    {
        final Path aside = path.resolveSibling(path.getFileName() + ".aside");
        Files.move(path, aside);
        LockSupport.parkNanos(random.nextInt(2_000_000));
        Files.move(aside, path);
    }
}
