// SPDX-License-Identifier: Apache-2.0
package io.signalbox.diff;

import io.signalbox.diff.JournalDiff.FirstDifference;
import io.signalbox.diff.JournalDiff.Side;
import io.signalbox.journal.Difference;
import io.signalbox.journal.Difference.Values;
import io.signalbox.journal.GroupText;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.SameDecisions;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Reads two journals: group by group until they differ, then in the order of their times. */
final class SideBySide
{
    private final One left;
    private final One right;
    private final RequestMatching requests;
    /** {@code null} if groups are compared byte for byte. */
    private final SameDecisions withoutTokens;
    private long ahead;
    private boolean isEqualAhead;
    private long equalGroups;
    /** The last group that is equal. */
    private final MutableDirectBuffer before = new ExpandableArrayBuffer(4096);
    private int beforeLength;
    private FirstDifference first;
    private JournalDiff diff;

    /** One of the journals, with its current group. */
    private static final class One
    {
        private final Path path;
        private final JournalReader reader;
        private boolean hasGroup;
        private long startNanos;
        private long nowNanos;
        private boolean hasBegun;

        private One(final Path path, final JournalReader reader)
        {
            this.path = path;
            this.reader = reader;
        }

        private void advance()
        {
            hasGroup = next();
            nowNanos = hasGroup ? reader.timeNanos() : nowNanos;
            startNanos = hasBegun ? startNanos : nowNanos;
            hasBegun = true;
        }

        /** Moves behind so many records, which the other journal has not. */
        private void skip(final long records)
        {
            boolean more = true;
            while (more && reader.records() < records)
            {
                more = next();
            }
        }

        private boolean next()
        {
            try
            {
                return reader.next();
            }
            catch (final JournalException e)
            {
                throw e.in(path);
            }
        }

        private long elapsedNanos()
        {
            return nowNanos - startNanos;
        }

        private List<String> lines()
        {
            return hasGroup ? GroupText.lines(reader.group(), 0, reader.groupLength()) : List.of();
        }

        private Side side()
        {
            return new Side(path, reader.records(), reader.groups(), reader.ending(), reader.digest());
        }
    }

    SideBySide(
        final Path leftPath,
        final JournalReader leftReader,
        final Path rightPath,
        final JournalReader rightReader,
        final String matchedBy,
        final ComparedPrompts prompts)
    {
        left = new One(leftPath, leftReader);
        right = new One(rightPath, rightReader);
        requests = new RequestMatching(matchedBy, blockSizeTokens(leftReader), blockSizeTokens(rightReader), prompts);
        withoutTokens = leftReader.hashesAs(rightReader) ? null : new SameDecisions();
    }

    static int blockSizeTokens(final JournalReader reader)
    {
        return reader.setting(SchedulerConfig.BLOCK_SIZE_TOKENS);
    }

    /** If one journal has lost older segments, both are compared from its first record on. */
    private void skipRemoved()
    {
        // A whole journal was opened behind its run description.
        if (left.reader.groups() > 0 || right.reader.groups() > 0)
        {
            ahead = Math.max(left.reader.records(), right.reader.records());
            left.skip(ahead);
            right.skip(ahead);
            // Behind a group that is void.
            left.skip(right.reader.records());
            right.skip(left.reader.records());
            isEqualAhead = left.reader.records() == right.reader.records() && left.reader.chain() == right.reader.chain();
        }
    }

    SideBySide run()
    {
        skipRemoved();
        left.advance();
        right.advance();
        while (left.hasGroup || right.hasGroup)
        {
            if (first == null && !isEqual())
            {
                first = firstDifference();
            }
            if (first == null)
            {
                equalGroups++;
                beforeLength = left.reader.groupLength();
                before.putBytes(0, left.reader.group(), 0, beforeLength);
                read(left, requests::onLeft);
                read(right, requests::onRight);
                left.advance();
                right.advance();
            }
            else if (!right.hasGroup || left.hasGroup && left.elapsedNanos() <= right.elapsedNanos())
            {
                read(left, requests::onLeft);
                left.advance();
            }
            else
            {
                read(right, requests::onRight);
                right.advance();
            }
        }
        requests.end();
        diff = new JournalDiff(
            left.side(), right.side(), settings(), withoutTokens != null, ahead, isEqualAhead, equalGroups, first,
            requests.counts(), requests.worst());
        return this;
    }

    private static void read(final One side, final Consumer<JournalReader> requests)
    {
        try
        {
            requests.accept(side.reader);
        }
        catch (final RuntimeException | AssertionError e)
        {
            throw side.reader.inapplicable(e).in(side.path);
        }
    }

    JournalDiff diff()
    {
        return diff;
    }

    boolean hasOtherIds()
    {
        return requests.hasOtherIds();
    }

    long requests()
    {
        return requests.requests();
    }

    long samePrompts()
    {
        return requests.samePrompts();
    }

    private boolean isEqual()
    {
        if (!left.hasGroup || !right.hasGroup)
        {
            return false;
        }
        if (withoutTokens != null)
        {
            return differentMessage() < 0;
        }
        final int leftStart = left.reader.group().wrapAdjustment();
        final int rightStart = right.reader.group().wrapAdjustment();
        return Arrays.equals(left.reader.group().byteArray(), leftStart, leftStart + left.reader.groupLength(),
            right.reader.group().byteArray(), rightStart, rightStart + right.reader.groupLength());
    }

    private int differentMessage()
    {
        return withoutTokens.differentMessage(
            left.reader.group(), left.reader.groupLength(), right.reader.group(), right.reader.groupLength());
    }

    private FirstDifference firstDifference()
    {
        final long sequence = left.hasGroup ? left.reader.sequence() : -1;
        final List<String> ahead = GroupText.lines(before, 0, beforeLength);
        final Difference difference = withoutTokens != null && left.hasGroup && right.hasGroup ?
            Difference.at(differentMessage(), sequence, left.lines(), right.lines(), ahead) :
            Difference.between(sequence, left.lines(), right.lines(), ahead);
        final Difference.Fields fields = difference.fields(withoutTokens != null);
        return new FirstDifference(
            left.hasGroup ? left.reader.sequence() : -1, right.hasGroup ? right.reader.sequence() : -1, left.nowNanos,
            right.nowNanos, difference, fields.values(), fields.omitted());
    }

    private Map<String, Values> settings()
    {
        final Map<String, String> was = left.reader.settings();
        final Map<String, String> is = right.reader.settings();
        final TreeSet<String> names = new TreeSet<>(was.keySet());
        names.addAll(is.keySet());
        final Map<String, Values> differing = new TreeMap<>();
        for (final String name : names)
        {
            final Values values = new Values(was.get(name), is.get(name));
            if (values.left() == null || !values.left().equals(values.right()))
            {
                differing.put(name, values);
            }
        }
        return differing;
    }
}
