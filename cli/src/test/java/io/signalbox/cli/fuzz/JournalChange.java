// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/** One change of a journal's files, as a disk, a person or a script could make it. */
final class JournalChange
{
    private static final List<String> FOREIGN = List.of("notes.txt", "segment-1", "segment-00001.bak", "segment-000001",
        "segment-00000.cut", "segment-99999.tmp", "SEGMENT-00001", "segment-\u0660\u0660\u0660\u0660\u0661", ".hidden",
        "lock~");
    /** Offset and length of the fields of an envelope that a change with a fitting checksum may have. */
    private static final int[][] FIELDS = {{8, 2}, {10, 2}, {16, 8}, {24, 8}, {32, 8}, {40, 8}, {48, 8}, {56, 8}};

    private final Path journal;
    private final Path other;
    private final RandomGenerator random;

    private JournalChange(final Path journal, final Path other, final RandomGenerator random)
    {
        this.journal = journal;
        this.other = other;
        this.random = random;
    }

    /**
     * @param other a journal of another run, for segments of it.
     * @return what was done.
     */
    static String apply(final Path journal, final Path other, final RandomGenerator random) throws IOException
    {
        return new JournalChange(journal, other, random).apply();
    }

    private String apply() throws IOException
    {
        final List<Path> segments = SlowJournal.segments(journal);
        if (segments.isEmpty())
        {
            return "nothing";
        }
        final Path segment = segments.get(random.nextInt(segments.size()));
        switch (random.nextInt(14))
        {
            case 0, 1, 2, 3:
                return changeBytes(segment);
            case 4, 5:
                return changeRecords(segment);
            case 6:
                return changeField(segment);
            case 7:
                FileTrees.delete(segment);
                return "deleted " + segment.getFileName();
            case 8:
                return copy(segment, free(segments), true);
            case 9:
                return copy(segment, free(segments), false);
            case 10:
                return swap(segment, segments.get(random.nextInt(segments.size())));
            case 11:
                return takeOver(segments);
            case 12:
                return addForeign(segment);
            default:
                return changeOwn(segment);
        }
    }

    private String changeBytes(final Path segment) throws IOException
    {
        final Path file = dataFile(segment);
        if (file == null)
        {
            return "nothing";
        }
        final byte[] bytes = Files.readAllBytes(file);
        final List<SlowJournal.Whole> records = SlowJournal.recordsOf(file, bytes);
        final int end = records.isEmpty() ? bytes.length :
            Math.min(bytes.length, records.get(records.size() - 1).at() + records.get(records.size() - 1).length() + 64);
        final int start = records.isEmpty() ? 0 : Math.max(0, records.get(0).at() - 64);
        switch (random.nextInt(6))
        {
            case 0:
                Files.write(file, Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)));
                return "cut " + file.getFileName();
            case 1:
                Files.write(file, ByteMutator.mutate(bytes, other(), random));
                return "changed anything in " + file.getFileName();
            case 2:
                Files.write(file, ByteMutator.joined(bytes, new byte[random.nextInt(1 << 18)]));
                return "extended " + file.getFileName();
            default:
                final byte[] part = ByteMutator.mutate(Arrays.copyOfRange(bytes, start, end), other(), random);
                final byte[] all = ByteMutator.joined(Arrays.copyOf(bytes, start), part);
                // The records' place in the file changes only if the change moved them within their part.
                Files.write(file, Arrays.copyOf(all, Math.max(bytes.length, all.length)));
                return "changed records of " + segment.getFileName();
        }
    }

    private byte[] other() throws IOException
    {
        return Files.readAllBytes(dataFile(SlowJournal.segments(other).get(0)));
    }

    private String changeRecords(final Path segment) throws IOException
    {
        final Path file = dataFile(segment);
        final byte[] bytes = file == null ? new byte[0] : Files.readAllBytes(file);
        final List<SlowJournal.Whole> records = SlowJournal.recordsOf(file, bytes);
        if (records.size() < 2)
        {
            return "nothing";
        }
        final SlowJournal.Whole one = records.get(random.nextInt(records.size()));
        final SlowJournal.Whole two = records.get(random.nextInt(records.size()));
        final String what;
        switch (random.nextInt(4))
        {
            case 0:
                Arrays.fill(bytes, one.at() - 4, bytes.length, (byte)0);
                what = "zeroed from record " + one.sequence();
                break;
            case 1:
                Files.write(file, Arrays.copyOf(bytes, one.at() - 4 + random.nextInt(one.length() + 8)));
                return "cut within record " + one.sequence();
            case 2:
                final int length = Math.min(one.length(), bytes.length - two.at());
                System.arraycopy(bytes.clone(), one.at() - 4, bytes, two.at() - 4, length + 4);
                what = "record " + one.sequence() + " over " + two.sequence();
                break;
            default:
                final int next = one.at() + (one.length() + 3 & -4);
                System.arraycopy(bytes, next, bytes, one.at() - 4, bytes.length - next);
                what = "dropped record " + one.sequence();
                break;
        }
        Files.write(file, bytes);
        return what;
    }

    private String changeField(final Path segment) throws IOException
    {
        final Path file = dataFile(segment);
        final byte[] bytes = file == null ? new byte[0] : Files.readAllBytes(file);
        final List<SlowJournal.Whole> records = SlowJournal.recordsOf(file, bytes);
        if (records.isEmpty())
        {
            return "nothing";
        }
        final SlowJournal.Whole record = records.get(random.nextInt(records.size()));
        final int[] field = FIELDS[random.nextInt(FIELDS.length)];
        final ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        final long delta = random.nextInt(3) == 0 ? random.nextLong() : random.nextInt(5) - 2;
        if (field[1] == 2)
        {
            buffer.putShort(record.at() + field[0], (short)(buffer.getShort(record.at() + field[0]) + delta));
        }
        else
        {
            buffer.putLong(record.at() + field[0], buffer.getLong(record.at() + field[0]) + delta);
        }
        SlowJournal.putCrc(bytes, record.at(), record.length());
        Files.write(file, bytes);
        return "field at " + field[0] + " of record " + record.sequence() + ", type " + record.type() + ", by " + delta;
    }

    /** The next number, or any that is not taken. */
    private Path free(final List<Path> segments)
    {
        final int next = segments.size() + (random.nextInt(3) == 0 ? random.nextInt(4) : 0);
        final Path named = journal.resolve("segment-%05d".formatted(next));
        return segments.contains(named) ? journal.resolve("segment-%05d".formatted(segments.size() + 5)) : named;
    }

    private static String copy(final Path from, final Path to, final boolean move) throws IOException
    {
        FileTrees.copy(from, to);
        if (move)
        {
            FileTrees.delete(from);
        }
        return (move ? "moved " : "copied ") + from.getFileName() + " to " + to.getFileName();
    }

    private static String swap(final Path first, final Path second) throws IOException
    {
        if (first.equals(second))
        {
            return "nothing";
        }
        final Path between = first.resolveSibling("between");
        Files.move(first, between);
        Files.move(second, first);
        Files.move(between, second);
        return "swapped " + first.getFileName() + " and " + second.getFileName();
    }

    private String takeOver(final List<Path> segments) throws IOException
    {
        final List<Path> others = SlowJournal.segments(other);
        final Path taken = others.get(random.nextInt(others.size()));
        final Path place = random.nextBoolean() ? free(segments) : segments.get(random.nextInt(segments.size()));
        FileTrees.delete(place);
        FileTrees.copy(taken, place);
        return "another run's " + taken.getFileName() + " as " + place.getFileName();
    }

    private String addForeign(final Path segment) throws IOException
    {
        final String name = Values.pick(FOREIGN, random);
        final Path place = random.nextInt(4) == 0 ? segment.resolve(name) : journal.resolve(name);
        if (random.nextBoolean())
        {
            Files.writeString(place, "mine");
        }
        else
        {
            FileTrees.copy(segment, place);
        }
        return "added " + journal.relativize(place);
    }

    private String changeOwn(final Path segment) throws IOException
    {
        switch (random.nextInt(7))
        {
            case 0:
                Files.deleteIfExists(journal.resolve("lock"));
                return "deleted lock";
            case 1:
                Files.write(journal.resolve("lock"), "1".repeat(1 + random.nextInt(40)).getBytes(StandardCharsets.US_ASCII));
                return "changed lock";
            case 2:
                Files.deleteIfExists(segment.resolve("metadata.cq4t"));
                return "deleted metadata";
            case 3:
                Files.writeString(segment.resolve("metadata.cq4t"), "none");
                return "changed metadata";
            case 4:
                Files.copy(dataFile(SlowJournal.segments(other).get(0)), segment.resolve("20260101F.cq4"),
                    StandardCopyOption.REPLACE_EXISTING);
                return "added a second file of records";
            case 5:
                Files.deleteIfExists(dataFile(segment) == null ? segment.resolve("none") : dataFile(segment));
                return "deleted the records of " + segment.getFileName();
            default:
                FileTrees.delete(segment);
                Files.createDirectories(segment);
                return "emptied " + segment.getFileName();
        }
    }

    /** The first file of records; null if there is none. */
    static Path dataFile(final Path segment) throws IOException
    {
        final List<Path> files = SlowJournal.dataFiles(segment);
        return files.isEmpty() ? null : files.get(0);
    }
}
