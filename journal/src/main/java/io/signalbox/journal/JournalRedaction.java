// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.ConfigException;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.router.DpRouters;
import org.agrona.DirectBuffer;

import java.nio.file.Path;
import java.util.Map;

/** Makes a journal without tokens of one that has them. */
public final class JournalRedaction
{
    /**
     * Figures of the new journal, and the end of the old journal.
     *
     * @param voided    void inputs of the old journal; the new journal does not have them.
     * @param snapshots snapshots of the old journal; the new journal does not have them.
     */
    public record Result(
        long records, long groups, long bytes, String digest, Ending ending, int voided, int snapshots)
    {
    }

    private JournalRedaction()
    {
    }

    /**
     * Reads a journal and writes another; inputs that were declared void are left out. Rows keep their form.
     *
     * @param target a directory that is missing or empty. If this throws, a journal without a group is removed, any other is
     *               closed as one of a run that failed.
     * @throws JournalException if the journal is damaged, is being written, or decides otherwise without its tokens.
     * @throws ConfigException if the journal has no tokens, or its run compares tokens, or the key is in a directory.
     */
    public static Result redact(
        final Path source, final Path target, final DpRouters routers, final TokenKey key, final ReadProgress progress)
    {
        key.requireOutside(source);
        key.requireOutside(target);
        requireWhole(source);
        try (JournalReader reader = JournalReader.open(source, progress))
        {
            final Map<String, String> settings = reader.settings();
            if (WithheldJournal.isWithheld(settings))
            {
                throw new ConfigException(source + " has no tokens already; use it as it is.");
            }
            reader.config(routers);
            final Map<String, String> described = WithheldJournal.describe(settings, key);
            final JournalWriter writer = JournalWriter.create(target, described, JournalConfig.of(Durability.PROCESS));
            boolean whole = false;
            try
            {
                final WithheldJournal redacted = new WithheldJournal(writer, settings, routers, key);
                copy(reader, writer, redacted);
                whole = true;
            }
            finally
            {
                if (!whole && writer.groups() == 0)
                {
                    writer.discard();
                }
                else if (!whole || reader.ending() != Ending.CLOSED)
                {
                    writer.cutShort();
                }
                writer.close();
            }
            return new Result(writer.records(), writer.groups(), writer.bytes(), writer.digest(), reader.ending(),
                reader.voided().size(), SnapshotUsage.of(source).count());
        }
    }

    /** A shortened journal continues from a state that has hashes without a key, and tokens of live requests. */
    private static void requireWhole(final Path source)
    {
        final long first = JournalRetention.firstRecord(source);
        if (first > 0)
        {
            throw new JournalException(Kind.RECORDS_REMOVED, source + " begins at record " + first + ", because its older " +
                "segments were removed, and cannot be redacted: what is left is decided again only from snapshots, which " +
                "have tokens and hashes without a key. Redact a journal before segments are removed, or leave tokens out " +
                "from the beginning with --journal-tokens=hashes.");
        }
    }

    static void copy(final JournalReader reader, final JournalWriter writer, final WithheldJournal redacted)
    {
        while (reader.next())
        {
            try
            {
                redacted.append(reader.timeNanos(), reader.group(), 0, reader.groupLength(), Rows.of(reader));
            }
            catch (final JournalException e)
            {
                throw e;
            }
            catch (final RuntimeException | AssertionError e)
            {
                throw reader.inapplicable(e);
            }
        }
    }

    /** The rows that a reader holds. */
    private record Rows(DirectBuffer buffer, int rowCount, int rowBytes) implements CaptureSlice
    {
        private static Rows of(final JournalReader reader)
        {
            if (reader.rows() == null)
            {
                return null;
            }
            final int rowBytes = reader.shape().rowBytes();
            return new Rows(reader.rows(), reader.rowsLength() / rowBytes, rowBytes);
        }

        @Override
        public int offset()
        {
            return 0;
        }

        @Override
        public void release()
        {
            throw new UnsupportedOperationException("a reader owns its rows");
        }
    }
}
