// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.event.RecordWriter;
import io.signalbox.journal.EarlierRequest;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Where a journal begins whose oldest segments were removed, and what a reader needs of the records that are gone. There are
 * two equal files: the second is written first, and serves if the first is damaged. Numbers are little endian.
 *
 * <pre>
 *   byte   0  magic "SJB1", format version (u32 each)
 *          8  first segment, records of the segment before, whether that was sealed: 1 or 0 (int64 each)
 *         32  records, groups, chain, bytes of the journal ahead of the first segment (int64 each)
 *         64  wall time of record 0, ns; highest request id; highest epoch; newest weight generation (int64 each)
 *         96  requests, length of the run description (int64 each)
 *        112  length of the version of the newest weights (int64); format version 1 ends its header here
 *        120  per request: id, logical time of its Submit, tokens of its prompt, most new tokens (int64 each); then the run
             description; then the version of the newest weights, in UTF-8
 *        end  CRC32C of all bytes ahead of it (u32)
 * </pre>
 *
 * @param start            the first segment that is kept.
 * @param begunWallNanos   wall time of record 0, ns.
 * @param highestRequestId of the requests submitted ahead of it; -1: none.
 * @param epoch            highest epoch of any rank ahead of it.
 * @param weightGeneration newest one ahead of it.
 * @param weightVersion    the name of these weights; empty if it is unknown.
 * @param requests         those that had been accepted and had not ended, in the order of their Submits.
 * @param settings         the run description.
 */
public record JournalBeginning(
    SegmentStart start,
    long begunWallNanos,
    long highestRequestId,
    int epoch,
    int weightGeneration,
    String weightVersion,
    List<EarlierRequest> requests,
    Map<String, String> settings)
{
    public static final String FILE = "beginning";
    public static final String COPY = "beginning.copy";
    /** Held by the process that removes segments. */
    public static final String LOCK = "beginning.lock";
    private static final int MAGIC = 0x31424A53;
    private static final int VERSION = 2;
    /** The format version without the version of the weights. */
    private static final int OLDEST_VERSION = 1;
    private static final int VERSION_AT = 4;
    private static final int HEADER_BYTES = 120;
    private static final int OLDEST_HEADER_BYTES = 112;
    private static final int REQUESTS_AT = 96;
    private static final int REQUEST_BYTES = 4 * Long.BYTES;
    private static final long MOST_BYTES = 1L << 30;

    /** @throws JournalException RECORDS_REMOVED if the oldest segments were removed. */
    public static void requireNone(final JournalFiles files)
    {
        final JournalBeginning beginning = files.beginning();
        if (beginning != null)
        {
            final long first = beginning.start().place().records();
            throw new JournalException(Kind.RECORDS_REMOVED, files.journal() + " begins at record " + first + ", because " +
                "its older segments were removed, and every record is needed here; 'signalbox replay " + files.journal() +
                " --from-snapshot' verifies what is left, and the questions moment and events of " +
                "'signalbox inspect' answer from it.");
        }
    }

    /** Whether a journal's directory has a file of this name because segments were removed. */
    public static boolean isName(final String name)
    {
        return name.equals(LOCK) || isFile(name) || name.endsWith(".part") && isFile(name.substring(0, name.length() - 5));
    }

    private static boolean isFile(final String name)
    {
        return name.equals(FILE) || name.equals(COPY);
    }

    /** Whether segments of the journal in this directory were removed. */
    public static boolean isIn(final Path directory)
    {
        return Files.exists(directory.resolve(FILE), LinkOption.NOFOLLOW_LINKS) ||
            Files.exists(directory.resolve(COPY), LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Reads the files of a directory; {@code null} if it has none.
     *
     * @throws JournalException CORRUPT_RECORD if both are damaged; UNSUPPORTED_VERSION if a newer program wrote them.
     */
    public static JournalBeginning of(final Path directory)
    {
        if (!isIn(directory))
        {
            return null;
        }
        final JournalBeginning first = readOrNull(directory.resolve(FILE));
        final JournalBeginning copy = readOrNull(directory.resolve(COPY));
        if (first == null && copy == null)
        {
            throw new JournalException(Kind.CORRUPT_RECORD, directory.resolve(FILE) + " and its copy " + COPY +
                " are damaged or missing; they say where the journal begins, because segments of it were removed; restore " +
                "one of them from a copy.");
        }
        // A process that removes segments was stopped between the two: both are right, and nothing was removed yet.
        return first == null || copy != null && copy.start.segment() > first.start.segment() ? copy : first;
    }

    /** Once this returns, both files survive power loss. */
    public void write(final Path directory) throws IOException
    {
        final byte[] bytes = encode();
        AsideFile.write(directory.resolve(COPY), bytes, true);
        AsideFile.write(directory.resolve(FILE), bytes, true);
    }

    private byte[] encode()
    {
        final RecordWriter description = RunDescription.encode(settings);
        final byte[] version = weightVersion.getBytes(StandardCharsets.UTF_8);
        final ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + requests.size() * REQUEST_BYTES + description.length() +
            version.length + Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        final JournalPosition place = start.place();
        bytes.putInt(MAGIC).putInt(VERSION).putLong(start.segment()).putLong(start.recordsOfSegmentBefore())
            .putLong(start.sealedBefore() ? 1 : 0).putLong(place.records()).putLong(place.groups()).putLong(place.chain())
            .putLong(place.bytes()).putLong(begunWallNanos).putLong(highestRequestId).putLong(epoch)
            .putLong(weightGeneration).putLong(requests.size()).putLong(description.length()).putLong(version.length);
        for (final EarlierRequest request : requests)
        {
            bytes.putLong(request.requestId()).putLong(request.submitNanos()).putLong(request.promptTokens())
                .putLong(request.maxNewTokens());
        }
        bytes.put(description.buffer().byteArray(), 0, description.length()).put(version);
        return bytes.putInt(SegmentSums.crc(bytes.array(), bytes.position())).array();
    }

    /** {@code null} if the file is missing, cannot be read, or is not as it was written. */
    private static JournalBeginning readOrNull(final Path file)
    {
        try
        {
            final byte[] bytes = AsideFile.read(file, HEADER_BYTES, MOST_BYTES, JournalBeginning::length);
            final int length = bytes.length - Integer.BYTES;
            final ByteBuffer fields = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            if (fields.getInt(length) != SegmentSums.crc(bytes, length) || fields.getInt() != MAGIC)
            {
                return null;
            }
            final int version = fields.getInt();
            if (version < OLDEST_VERSION || version > VERSION)
            {
                throw new JournalException(Kind.UNSUPPORTED_VERSION, file + " has version " + version + ", and this " +
                    "program reads " + OLDEST_VERSION + " to " + VERSION + "; read the journal with the version of " +
                    "Signalbox that wrote it.");
            }
            return decode(fields, version, length);
        }
        catch (final IOException | IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException |
            ArithmeticException | BufferUnderflowException e)
        {
            return null;
        }
    }

    /** Length of the file with this header; -1 if the header is invalid. */
    private static long length(final ByteBuffer header)
    {
        final int version = header.getInt(VERSION_AT);
        final long requests = header.getLong(REQUESTS_AT);
        final long descriptionLength = header.getLong(REQUESTS_AT + Long.BYTES);
        final long versionLength = version == OLDEST_VERSION ? 0 : header.getLong(OLDEST_HEADER_BYTES);
        return isImpossible(requests) || isImpossible(descriptionLength) || isImpossible(versionLength) ? -1 :
            headerBytes(version) + requests * REQUEST_BYTES + descriptionLength + versionLength + Integer.BYTES;
    }

    private static boolean isImpossible(final long count)
    {
        return count < 0 || count > MOST_BYTES;
    }

    private static int headerBytes(final int version)
    {
        return version == OLDEST_VERSION ? OLDEST_HEADER_BYTES : HEADER_BYTES;
    }

    private static JournalBeginning decode(final ByteBuffer fields, final int version, final int length)
    {
        final int segment = Math.toIntExact(fields.getLong());
        final long recordsBefore = fields.getLong();
        final boolean sealedBefore = fields.getLong() == 1;
        final JournalPosition place =
            new JournalPosition(fields.getLong(), fields.getLong(), fields.getLong(), fields.getLong());
        final long begun = fields.getLong();
        final long highestId = fields.getLong();
        final int epoch = Math.toIntExact(fields.getLong());
        final int weights = Math.toIntExact(fields.getLong());
        final int count = Math.toIntExact(fields.getLong());
        final int descriptionLength = Math.toIntExact(fields.getLong());
        final int versionLength = version == OLDEST_VERSION ? 0 : Math.toIntExact(fields.getLong());
        if (segment < 1 || place.records() < 1 || count < 0 || descriptionLength < 0 ||
            versionLength < 0 ||
            headerBytes(version) + (long)count * REQUEST_BYTES + descriptionLength + versionLength != length)
        {
            return null;
        }
        final List<EarlierRequest> requests = new ArrayList<>(count);
        for (int i = 0; i < count; i++)
        {
            requests.add(new EarlierRequest(fields.getLong(), fields.getLong(), Math.toIntExact(fields.getLong()),
                Math.toIntExact(fields.getLong())));
        }
        final Map<String, String> settings =
            RunDescription.decode(new UnsafeBuffer(fields.array(), fields.position(), descriptionLength), 0);
        final String weightVersion = new String(
            fields.array(), fields.position() + descriptionLength, versionLength, StandardCharsets.UTF_8);
        return new JournalBeginning(new SegmentStart(segment, place, recordsBefore, sealedBefore), begun, highestId, epoch,
            weights, weightVersion, List.copyOf(requests), settings);
    }
}
