// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.InvariantViolation;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.InputWriter;
import io.signalbox.experts.ModelShape;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

class CheckedJournalTest
{
    private static final int ROW_BYTES = 64;
    private static final int ROWS = 100;

    private final RecordingJournal recording = new RecordingJournal();
    private final CheckedJournal journal = new CheckedJournal(recording, ForeignCall.ofEngine(), Long.MAX_VALUE);
    private final UnsafeBuffer memory = soundRows();
    private final ReportEncoding encoding =
        new ReportEncoding(new ReportCheck(new ModelShape(8, 256, 8), 100, EngineConfig.ImpossibleRows.MISSING));

    private static UnsafeBuffer soundRows()
    {
        final UnsafeBuffer rows = new UnsafeBuffer(new byte[ROWS * ROW_BYTES]);
        for (int i = 0; i < rows.capacity(); i++)
        {
            rows.putByte(i, (byte)(i % 8));
        }
        return rows;
    }

    private CaptureSlice slice(final int rows)
    {
        return new HeapSlice(memory, rows, ROW_BYTES);
    }

    private String refusal(final CaptureSlice rows)
    {
        final InvariantViolation violation = assertThrows(InvariantViolation.class, () -> append(rows));
        assertEquals(0, recording.recorded.size(), "the journal was given what it could not read back");
        return violation.getMessage();
    }

    private void append(final CaptureSlice rows)
    {
        final GroupWriter group = new GroupWriter(64);
        group.append(encoding.buffer(), 0, encoding.length());
        journal.append(1, group.buffer(), 0, group.length(), rows);
    }

    @Test
    void shouldAppendRowsThatAreThoseOfTheirGroup()
    {
        encoding.d2hComplete(1, null, new StepTokens().begin(0, 3, 7).entry(0).accept(5), slice(ROWS));
        append(slice(ROWS));
        assertEquals(1, recording.recorded.size());
    }

    @Test
    void shouldAppendInputsWithoutRowsAndRowsInsideTheirInput()
    {
        encoding.forward(1, 0, 3, 7, 1);
        append(null);
        encoding.d2hComplete(1, null, new StepTokens().begin(0, 3, 7).entry(0).accept(5), slice(2));
        assertNull(encoding.takeRowsBeside(), "two rows fit the message");
        append(null);
        encoding.d2hComplete(1, null, new StepTokens().begin(0, 3, 7).entry(0).accept(5), null);
        append(null);
        assertEquals(3, recording.recorded.size());
    }

    @Test
    void shouldStopBeforeRowsThatChangedSinceTheyWereReported()
    {
        encoding.d2hComplete(1, null, new StepTokens().begin(0, 3, 7).entry(0).accept(5), slice(ROWS));
        memory.putByte(ROWS * ROW_BYTES - 1, (byte)1);
        assertEquals("the routed-expert rows of step 7 of rank 3 changed before the journal had them: the backend wrote " +
            "into a capture slice that it had not got back", refusal(slice(ROWS)));
    }

    @Test
    void shouldStopBeforeRowsOfAnotherCompletion()
    {
        encoding.d2hComplete(1, null, new StepTokens().begin(0, 3, 7).entry(0).accept(5), slice(ROWS));
        assertEquals("step 7 of rank 3 refers to 100 routed-expert rows of 64 bytes in the form CHUNKED, but 99 of 64 " +
            "bytes came with it", refusal(slice(ROWS - 1)));
        assertEquals("step 7 of rank 3 refers to 100 routed-expert rows of 64 bytes in the form CHUNKED, but none came " +
            "with it", refusal(null));
        encoding.d2hComplete(1, null, new StepTokens().begin(0, 3, 7).entry(0).accept(5), slice(2));
        assertEquals("step 7 of rank 3 refers to 2 routed-expert rows of 64 bytes in the form INLINE, but 100 of 64 bytes " +
            "came with it", refusal(slice(ROWS)));
    }

    @Test
    void shouldStopBeforeRowsOfAnInputThatHasNone()
    {
        final InputWriter wake = new InputWriter();
        wake.wake().timeNanos(1);
        final GroupWriter group = new GroupWriter(64);
        group.append(wake.buffer(), 0, wake.length());
        assertEquals("a Wake brings routed-expert rows, but only a D2hComplete may", assertThrows(InvariantViolation.class,
            () -> journal.append(1, group.buffer(), 0, group.length(), slice(ROWS))).getMessage());
    }
}
