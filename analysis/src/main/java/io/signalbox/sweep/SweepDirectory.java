// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sweep;

import io.signalbox.ConfigException;
import io.signalbox.files.AtomicFile;
import io.signalbox.files.FileFault;
import io.signalbox.files.InputFile;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The results of a shard: the plan in one file, and a line for each run that has ended in another one. Several shards of a
 * plan may share a directory. If the process is killed, a line may be cut; the next process removes that line and runs only
 * what is missing. One process at a time writes a shard. Thread-safe.
 */
public final class SweepDirectory implements AutoCloseable
{
    public static final String PLAN = "plan.json";
    private static final Pattern RESULTS = Pattern.compile("results-\\d{1,6}-of-\\d{1,6}\\.jsonl");
    private static final String OUT = "--out";
    private static final int MAX_PLAN_BYTES = 1 << 22;
    private static final int MAX_LINE_CHARS = 1 << 14;
    private static final int BLOCK_BYTES = 1 << 12;

    private final Path file;
    private final FileChannel channel;
    private final Map<SweepRun.Name, SweepRun> ended = new HashMap<>();

    private SweepDirectory(final Path file, final FileChannel channel)
    {
        this.file = file;
        this.channel = channel;
    }

    /**
     * Begins a shard, or continues it.
     *
     * @param directory is made if it does not exist.
     * @param plan      the text of the plan.
     * @throws ConfigException if the directory has another plan, another process writes the shard, or a file cannot be
     *                         read or written.
     */
    public static SweepDirectory open(
        final Path directory, final String plan, final List<SweepCell> cells, final SweepShard shard)
    {
        final Path file = directory.resolve("results-" + shard.index() + "-of-" + shard.count() + ".jsonl");
        try
        {
            Files.createDirectories(directory);
            keepPlan(directory, plan);
            refuseOtherDivision(directory, shard);
            refuseOtherFile(file);
            final FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            final SweepDirectory opened = new SweepDirectory(file, channel);
            try
            {
                opened.lock();
                opened.resume(cells, shard);
                return opened;
            }
            catch (final IOException | RuntimeException | Error e)
            {
                channel.close();
                throw e;
            }
        }
        catch (final IOException e)
        {
            throw FileFault.unwritten(OUT, directory, "directory", e);
        }
    }

    /** The directory of a round of successive halving, which is that of a sweep. */
    public static Path ofRound(final Path directory, final int round)
    {
        return directory.resolve("round-" + round);
    }

    /**
     * Whether a sweep began in the directory. Writes nothing.
     *
     * @throws ConfigException if it holds other files, another plan or another number of shards.
     */
    public static boolean isBegun(final Path directory, final String plan, final SweepShard shard)
    {
        try
        {
            final boolean isUsed = Files.isDirectory(directory) && holdsFiles(directory);
            if (!Files.exists(directory.resolve(PLAN), LinkOption.NOFOLLOW_LINKS))
            {
                refuseForeign(directory, isUsed);
                return false;
            }
            refuseOtherPlan(directory, plan);
            refuseOtherDivision(directory, shard);
            return true;
        }
        catch (final IOException e)
        {
            throw FileFault.unwritten(OUT, directory, "directory", e);
        }
    }

    private static void refuseForeign(final Path directory, final boolean isUsed)
    {
        if (isUsed)
        {
            throw new ConfigException(OUT + "=" + directory + " holds files and no sweep; give a directory that " +
                "is new or empty, or one of the same sweep.");
        }
    }

    private static void refuseOtherPlan(final Path directory, final String plan)
    {
        if (!plan(directory).equals(plan))
        {
            throw new ConfigException(OUT + "=" + directory + " holds another sweep, as its " + PLAN + " says; give the " +
                "same options, values and seeds, or another directory.");
        }
    }

    private static void keepPlan(final Path directory, final String plan) throws IOException
    {
        final Path file = directory.resolve(PLAN);
        final byte[] bytes = plan.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MAX_PLAN_BYTES)
        {
            throw new ConfigException("the plan has " + bytes.length + " bytes, and at most " + MAX_PLAN_BYTES +
                " are allowed; give fewer values.");
        }
        // Looked at before the plan is looked for: another shard may begin at the same time.
        final boolean isUsed = holdsFiles(directory);
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS))
        {
            refuseForeign(directory, isUsed);
            try (AtomicFile aside = AtomicFile.of(file))
            {
                aside.write(bytes);
                aside.sync();
                aside.publishNew();
            }
        }
        refuseOtherPlan(directory, plan);
    }

    /** Cells of another number of shards would be there twice. */
    private static void refuseOtherDivision(final Path directory, final SweepShard shard) throws IOException
    {
        try (Stream<Path> entries = Files.list(directory))
        {
            final String end = "-of-" + shard.count() + ".jsonl";
            entries.map(entry -> entry.getFileName().toString())
                .filter(name -> RESULTS.matcher(name).matches() && !name.endsWith(end)).sorted().findFirst()
                .ifPresent(name ->
                {
                    throw new ConfigException(OUT + "=" + directory + " has " + name + ", of another number of shards " +
                        "than " + shard.count() + "; give the same number, or another directory.");
                });
        }
    }

    private static boolean holdsFiles(final Path directory) throws IOException
    {
        try (Stream<Path> entries = Files.list(directory))
        {
            return entries.anyMatch(entry -> !entry.getFileName().toString().startsWith("."));
        }
    }

    /** @throws ConfigException if the directory has no plan that can be read. */
    public static String plan(final Path directory)
    {
        final Path file = directory.resolve(PLAN);
        refuseOtherFile(file);
        try (InputStream stream = Files.newInputStream(file))
        {
            final byte[] bytes = stream.readNBytes(MAX_PLAN_BYTES + 1);
            if (bytes.length > MAX_PLAN_BYTES)
            {
                throw new ConfigException(file + " has more than " + MAX_PLAN_BYTES + " bytes and is not the plan of a " +
                    "sweep; give the directory of a sweep.");
            }
            return new String(bytes, StandardCharsets.UTF_8);
        }
        catch (final NoSuchFileException e)
        {
            throw noPlan(directory);
        }
        catch (final IOException e)
        {
            throw unread(file, e);
        }
    }

    private static ConfigException noPlan(final Path directory)
    {
        int rounds = 0;
        while (Files.exists(ofRound(directory, rounds).resolve(PLAN)))
        {
            rounds++;
        }
        return new ConfigException(rounds > 0 ?
            directory + " holds the rounds of successive halving, each of which is a sweep; give one of them, such as " +
                "the last one, " + ofRound(directory, rounds - 1) + "." :
            directory + " has no " + PLAN + " and is not the directory of a sweep; give one that 'signalbox sweep --out' " +
                "wrote.");
    }

    private static void refuseOtherFile(final Path file)
    {
        final String fault = Files.exists(file, LinkOption.NOFOLLOW_LINKS) ? InputFile.fault(file) : null;
        if (fault != null)
        {
            throw new ConfigException(file + " " + fault + "; give the directory of a sweep.");
        }
    }

    private static ConfigException unread(final Path file, final IOException fault)
    {
        return new ConfigException(file + " cannot be read (" + FileFault.reason(fault) + "); make it readable.");
    }

    private void lock() throws IOException
    {
        FileLock lock = null;
        try
        {
            lock = channel.tryLock();
        }
        catch (final OverlappingFileLockException e)
        {
            // Another sweep of this process has it.
            lock = null;
        }
        if (lock == null)
        {
            throw new ConfigException(file + " is written by another process; wait for its end, or give another --shard " +
                "or " + OUT + ".");
        }
    }

    /** Takes over the runs of an earlier process, and removes the line that a kill cut. */
    private void resume(final List<SweepCell> cells, final SweepShard shard) throws IOException
    {
        channel.truncate(endOfLastLine());
        channel.position(channel.size());
        for (final SweepRun run : runs(file))
        {
            final boolean isPlanned = run.cell() < cells.size() && cells.get(run.cell()).key().equals(run.key()) &&
                run.cell() % shard.count() == shard.index();
            if (!isPlanned || ended.put(run.name(), run) != null)
            {
                throw new ConfigException(file + " has a run of cell " + run.cell() + " with seed " + run.seed() +
                    (isPlanned ? " twice" : ", which is not one of this shard") +
                    "; remove the file to run the shard again.");
            }
        }
    }

    private long endOfLastLine() throws IOException
    {
        final ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES);
        for (long end = channel.size(); end > 0; )
        {
            final long from = Math.max(0, end - BLOCK_BYTES);
            block.clear().limit((int)(end - from));
            while (block.hasRemaining() && channel.read(block, from + block.position()) >= 0)
            {
                continue;
            }
            for (int i = block.position() - 1; i >= 0; i--)
            {
                if (block.get(i) == '\n')
                {
                    return from + i + 1;
                }
            }
            end = from;
        }
        return 0;
    }

    /** The runs of a file of results. */
    private static List<SweepRun> runs(final Path file)
    {
        final List<SweepRun> runs = new ArrayList<>();
        try (BufferedReader lines = Files.newBufferedReader(file))
        {
            final StringBuilder line = new StringBuilder();
            for (int c = lines.read(); c >= 0; c = lines.read())
            {
                if (c == '\n')
                {
                    runs.add(run(file, runs.size() + 1, line.toString()));
                    line.setLength(0);
                }
                else if (line.append((char)c).length() > MAX_LINE_CHARS)
                {
                    throw damaged(file, runs.size() + 1, "it has more than " + MAX_LINE_CHARS + " characters");
                }
            }
            return runs;
        }
        catch (final IOException e)
        {
            throw unread(file, e);
        }
    }

    private static SweepRun run(final Path file, final int line, final String text)
    {
        try
        {
            return SweepRun.parse(text);
        }
        catch (final IOException e)
        {
            throw damaged(file, line, "it is not the line of a run");
        }
    }

    private static ConfigException damaged(final Path file, final int line, final String reason)
    {
        return new ConfigException(file + " is damaged in line " + line + ": " + reason + "; remove the file to run its " +
            "shard again.");
    }

    /** The runs of all shards in a directory; a line that a kill cut is none. */
    static List<SweepRun> allRuns(final Path directory)
    {
        final List<SweepRun> runs = new ArrayList<>();
        try (Stream<Path> entries = Files.list(directory))
        {
            for (final Path entry : entries.sorted().toList())
            {
                if (RESULTS.matcher(entry.getFileName().toString()).matches())
                {
                    refuseOtherFile(entry);
                    runs.addAll(runs(entry));
                }
            }
            return runs;
        }
        catch (final IOException e)
        {
            throw unread(directory, e);
        }
    }

    /** Whether the run has ended, in this process or an earlier one. */
    synchronized boolean hasEnded(final SweepCell cell, final long seed)
    {
        return ended.containsKey(new SweepRun.Name(cell.number(), seed));
    }

    /** Appends a run. @throws ConfigException if the disk does not take it; the file then ends with the run before. */
    synchronized void append(final SweepRun run)
    {
        try
        {
            final long end = channel.position();
            try
            {
                final ByteBuffer line = ByteBuffer.wrap((run.line() + '\n').getBytes(StandardCharsets.UTF_8));
                while (line.hasRemaining())
                {
                    channel.write(line);
                }
            }
            catch (final IOException e)
            {
                channel.truncate(end);
                throw e;
            }
            ended.put(run.name(), run);
        }
        catch (final IOException e)
        {
            throw FileFault.unwritten(OUT, file, "directory", e);
        }
    }

    /** The runs of this shard that have ended. */
    public synchronized List<SweepRun> runs()
    {
        return List.copyOf(ended.values());
    }

    /** Makes the results durable and lets another process continue the shard. */
    @Override
    public synchronized void close()
    {
        try (channel)
        {
            channel.force(true);
        }
        catch (final IOException e)
        {
            throw FileFault.unwritten(OUT, file, "directory", e);
        }
    }
}
