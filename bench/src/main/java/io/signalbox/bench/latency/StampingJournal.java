// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.latency;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.bench.latency.StageTimes.Stage;
import io.signalbox.engine.GroupJournal;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.codec.D2hCompleteDecoder;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.event.codec.WakeDecoder;
import org.agrona.DirectBuffer;

import java.util.Map;
import java.util.function.Consumer;

/**
 * Stamps the groups of a request that is alone in the engine, by their inputs: its Submit, the Wake with its plan, and
 * D2hComplete with its token.
 */
final class StampingJournal implements GroupJournal
{
    private final GroupJournal journal;
    private final Consumer<Stage> stamps;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private boolean hasResult;

    StampingJournal(final GroupJournal journal, final Consumer<Stage> stamps)
    {
        this.journal = journal;
        this.stamps = stamps;
    }

    @Override
    public Map<String, String> runDescription()
    {
        return journal.runDescription();
    }

    @Override
    public void append(
        final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
    {
        final int input = header.wrap(group, offset + GroupWriter.LENGTH_BYTES).templateId();
        if (input == SubmitDecoder.TEMPLATE_ID)
        {
            stamps.accept(Stage.JOURNAL_HAS_SUBMIT);
        }
        else if (input == D2hCompleteDecoder.TEMPLATE_ID)
        {
            stamps.accept(Stage.JOURNAL_HAS_RESULT);
            hasResult = true;
        }
        journal.append(timeNanos, group, offset, length, rows);
        if (input == WakeDecoder.TEMPLATE_ID)
        {
            stamps.accept(Stage.SCHEDULE_APPENDED);
        }
    }

    @Override
    public void endOfBatch()
    {
        journal.endOfBatch();
        if (hasResult)
        {
            hasResult = false;
            stamps.accept(Stage.RESULT_DURABLE);
        }
    }

    @Override
    public boolean neverWaits()
    {
        return journal.neverWaits();
    }

    @Override
    public void close()
    {
        journal.close();
    }
}
