// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assumptions.abort;

/** A real file system of a few mebibytes, mounted for a test, which is skipped if nothing can be mounted. */
final class SmallDisk implements AutoCloseable
{
    private static final int BLOCK = 1 << 16;
    private static final Map<String, List<String>> MAKERS = Map.of(
        "ext4", List.of("mkfs.ext4", "-q", "-m", "0", "-b", "4096", "-O", "^has_journal"),
        "ext4 with blocks of 1 KiB", List.of("mkfs.ext4", "-q", "-m", "0", "-b", "1024"),
        "ext4 with few inodes", List.of("mkfs.ext4", "-q", "-m", "0", "-N", "16"),
        "ext2, which reserves no blocks", List.of("mkfs.ext2", "-q", "-m", "0", "-b", "4096"),
        "xfs", List.of("mkfs.xfs", "-q"));

    private final Path mounted;
    private Path ballast;

    private SmallDisk(final Path mounted)
    {
        this.mounted = mounted;
    }

    /** @param type {@code tmpfs}, or a file system in a file: a key of {@link #MAKERS}. */
    static SmallDisk mount(final Path directory, final String type, final int mebibytes) throws Exception
    {
        final Path mounted = Files.createDirectory(directory.resolve("disk"));
        final boolean done;
        if (type.equals("tmpfs"))
        {
            done = run("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "none", mounted.toString());
        }
        else
        {
            final Path image = directory.resolve("image");
            try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw"))
            {
                file.setLength((long)mebibytes << 20);
            }
            final List<String> maker = new ArrayList<>(MAKERS.get(type));
            maker.add(image.toString());
            done = run(maker.toArray(new String[0])) &&
                run("mount", "-o", "loop", image.toString(), mounted.toString());
        }
        if (!done)
        {
            abort("a " + type + " of " + mebibytes + " MiB cannot be mounted here; run this test as root on Linux");
        }
        return new SmallDisk(mounted);
    }

    /** Mounts another one over a directory that is there. */
    static SmallDisk over(final Path directory, final int mebibytes) throws Exception
    {
        require(run("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "none", directory.toString()));
        return new SmallDisk(directory);
    }

    /** Makes a directory a mount point, which cannot be removed, with the content that it has. */
    static SmallDisk pinned(final Path directory) throws Exception
    {
        require(run("mount", "--bind", directory.toString(), directory.toString()));
        return new SmallDisk(directory);
    }

    private static void require(final boolean done)
    {
        if (!done)
        {
            abort("nothing can be mounted here; run this test as root on Linux");
        }
    }

    /** Allows writing or not; false if it is being written. */
    boolean remount(final String mode) throws InterruptedException
    {
        return run("mount", "-o", "remount," + mode, mounted.toString());
    }

    private static boolean run(final String... command) throws InterruptedException
    {
        try
        {
            final Process process = new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
            process.getInputStream().readAllBytes();
            return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
        }
        catch (final IOException e)
        {
            // There is no such command.
            return false;
        }
    }

    Path path()
    {
        return mounted;
    }

    /** Takes all free space, as another process might. */
    void fill() throws IOException
    {
        ballast = mounted.resolve("ballast");
        try (RandomAccessFile file = new RandomAccessFile(ballast.toFile(), "rw"))
        {
            final byte[] block = new byte[BLOCK];
            for (int bytes = BLOCK; bytes > 0; bytes /= 2)
            {
                writeAll(file, block, bytes);
            }
        }
    }

    private static void writeAll(final RandomAccessFile file, final byte[] block, final int bytes)
    {
        try
        {
            while (true)
            {
                file.write(block, 0, bytes);
            }
        }
        catch (final IOException e)
        {
            // No room is left for so many bytes.
            return;
        }
    }

    /** Fills the disk up to this free space. */
    void fillUpTo(final long leftBytes) throws IOException
    {
        fill();
        try (RandomAccessFile file = new RandomAccessFile(ballast.toFile(), "rw"))
        {
            file.setLength(Math.max(0, file.length() - leftBytes));
        }
    }

    /** Gives the space back that {@link #fill} took. */
    void free() throws IOException
    {
        Files.delete(ballast);
    }

    @Override
    public void close()
    {
        try
        {
            // Chronicle unmaps files in another thread, so the file system can still be in use.
            run("umount", "-l", mounted.toString());
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }
}
