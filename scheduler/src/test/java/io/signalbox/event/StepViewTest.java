// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.event.codec.ScheduleEncoder;
import io.signalbox.event.codec.TableChangeKind;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class StepViewTest
{
    private static final int OFFSET = 12;

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[1024]);
    private final StepView view = new StepView();

    /** A plan in which no part is empty and no two values are equal. */
    private int encode()
    {
        final ScheduleEncoder plan = new ScheduleEncoder().wrapAndApplyHeader(buffer, OFFSET, new MessageHeaderEncoder());
        plan.step(101).epoch(102).rank(103).tokens(104);
        plan.admittedCount(2).next().requestId(301).matchedBlocks(302).resumed(Flag.NO)
            .next().requestId(303).matchedBlocks(304).resumed(Flag.YES);
        plan.evictedCount(3).next().blockHash(401).blockId(402).next().blockHash(403).blockId(404)
            .next().blockHash(405).blockId(406);
        plan.tableChangesCount(2)
            .next().requestId(501).blockIndex(502).blockId(503).issue(504).kind(TableChangeKind.ALLOCATED)
            .next().requestId(505).blockIndex(506).blockId(507).issue(508).kind(TableChangeKind.MATCHED);
        plan.pendingCount(1).next().blockHash(601).blockId(602);
        plan.entriesCount(2)
            .next().requestId(701).start(702).tokenCount(703).predecessorEntry(0).slack(0).clip(0)
            .predecessorBack((short)0).drafts((short)0).samples(Flag.NO)
            .next().requestId(704).start(705).tokenCount(706).predecessorEntry(709).slack(5).clip(4)
            .predecessorBack((short)2).drafts((short)3).samples(Flag.YES);
        return MessageHeaderEncoder.ENCODED_LENGTH + plan.encodedLength();
    }

    /** Reads the parts out of order, because the view guarantees any order. */
    @Test
    void shouldReadEveryPartInAnyOrder()
    {
        encode();
        view.wrap(buffer, OFFSET);

        assertEquals(2, view.entryCount());
        assertEquals(704, view.requestId(1));
        assertEquals(705, view.start(1));
        assertEquals(706, view.tokenCount(1));
        assertEquals(701, view.requestId(0));
        assertEquals(702, view.start(0));
        assertEquals(703, view.tokenCount(0));
        assertEquals(2, view.changeCount());
        assertEquals(505, view.changeRequestId(1));
        assertEquals(506, view.changeIndex(1));
        assertEquals(507, view.changeBlockId(1));
        assertEquals(508, view.changeIssue(1));
        assertTrue(view.changeIsMatch(1));
        assertFalse(view.changeIsMatch(0));
        assertEquals(503, view.changeBlockId(0));
        assertEquals(3, view.evictedCount());
        assertEquals(2, view.admittedCount());
        assertEquals(303, view.admittedRequestId(1));
        assertEquals(304, view.matchedBlocks(1));
        assertTrue(view.isResumed(1));
        assertFalse(view.isResumed(0));
        assertEquals(5, view.slack(1));
        assertEquals(705 + 5 + 706 - 4, view.end(1));
        assertEquals(3, view.drafts(1));
        assertEquals(2, view.predecessorBack(1));
        assertEquals(709, view.predecessorEntry(1));
        assertTrue(view.samples(1));
        assertFalse(view.samples(0));
        assertEquals(702 + 703, view.end(0));
        assertEquals(101, view.step());
        assertEquals(102, view.epoch());
        assertEquals(103, view.rank());
        assertEquals(104, view.tokens());
    }

    /** Entries of a group are longer in a later version of the schema. */
    @Test
    void shouldSkipFieldsThatALaterVersionAdded()
    {
        final int length = encode();
        final int admitted = OFFSET + MessageHeaderEncoder.ENCODED_LENGTH + ScheduleDecoder.BLOCK_LENGTH;
        final int block = ScheduleDecoder.AdmittedDecoder.sbeBlockLength();
        final int first = admitted + ScheduleDecoder.AdmittedDecoder.HEADER_SIZE;
        for (int entry = 2; entry > 0; entry--)
        {
            final byte[] rest = new byte[OFFSET + length + 8 - first - entry * block];
            buffer.getBytes(first + entry * block, rest);
            buffer.putBytes(first + entry * block + 4, rest);
        }
        buffer.putShort(admitted, (short)(block + 4));
        view.wrap(buffer, OFFSET);

        assertEquals(301, view.admittedRequestId(0));
        assertEquals(704, view.requestId(1));
    }

    @Test
    void shouldRefuseAnIndexThatAPartDoesNotHave()
    {
        encode();
        view.wrap(buffer, OFFSET);

        assertEquals("index 2 of 2 in a group of a Schedule",
            assertThrows(IndexOutOfBoundsException.class, () -> view.requestId(2)).getMessage());
        assertThrows(IndexOutOfBoundsException.class, () -> view.changeBlockId(-1));
        assertThrows(IndexOutOfBoundsException.class, () -> view.admittedRequestId(2));
    }

    @Test
    void shouldRefuseAGroupThatLeavesItsBuffer()
    {
        final int length = encode();
        for (int cut = OFFSET + MessageHeaderEncoder.ENCODED_LENGTH; cut < OFFSET + length; cut++)
        {
            final UnsafeBuffer shorter = new UnsafeBuffer(buffer, 0, cut);
            assertThrows(IllegalArgumentException.class, () -> view.wrap(shorter, OFFSET), "cut at " + cut);
        }
        final int admitted = OFFSET + MessageHeaderEncoder.ENCODED_LENGTH + ScheduleDecoder.BLOCK_LENGTH;
        for (final int count : new int[] {-1, Integer.MAX_VALUE, 1 << 24, 100})
        {
            buffer.putInt(admitted + 2, count);
            assertThrows(IllegalArgumentException.class, () -> view.wrap(buffer, OFFSET), "count " + count);
        }
    }

    @Test
    void shouldRefuseAnotherMessage()
    {
        final InputWriter input = new InputWriter();
        input.wake().timeNanos(1);

        assertThrows(IllegalStateException.class, () -> view.wrap(input.buffer(), 0));
    }

    @Test
    void shouldReadWhatTheWriterWrote()
    {
        final StepWriter writer = new StepWriter();
        writer.begin(3, 4, 5, 41, 2).entry(70, 0, 40).entry(71, 9, 1);
        final StepView step = writer.view();

        assertEquals(3, step.rank());
        assertEquals(4, step.epoch());
        assertEquals(5, step.step());
        assertEquals(41, step.tokens());
        assertEquals(2, step.entryCount());
        assertEquals(71, step.requestId(1));
        assertEquals(40, step.tokenCount(0));
        assertEquals(0, step.changeCount());
        assertEquals(6, writer.begin(0, 0, 6, 0, 0).view().step());
    }
}
