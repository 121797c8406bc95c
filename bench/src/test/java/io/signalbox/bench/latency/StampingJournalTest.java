// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.latency;

import io.signalbox.bench.latency.StageTimes.Stage;
import io.signalbox.engine.GroupJournal;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.InputWriter;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

class StampingJournalTest
{
    private final List<Stage> stamps = new ArrayList<>();
    private final StampingJournal journal = new StampingJournal(GroupJournal.NONE, stamps::add);
    private final InputWriter input = new InputWriter();

    private void append()
    {
        final GroupWriter group = new GroupWriter(512);
        group.append(input.buffer(), 0, input.length());
        journal.append(0, group.buffer(), 0, group.length(), null);
    }

    private void submit()
    {
        final byte[] none = {};
        input.submit().putBlockHashes(none, 0, 0).putCacheKey(none, 0, 0).putTokens(none, 0, 0).putHashChain(none, 0, 0)
            .putStopTokens(none, 0, 0);
        append();
    }

    private void result()
    {
        input.d2hComplete().entriesCount(0);
        append();
    }

    /** A run at the highest rate before may leave any number of groups. */
    @Test
    void shouldStampTheStagesOfARequestWhateverCameBefore()
    {
        for (int before = 0; before < 4; before++)
        {
            input.wake();
            append();
            journal.endOfBatch();
            stamps.clear();
            submit();
            input.wake();
            append();
            journal.endOfBatch();
            input.forward();
            append();
            result();
            assertEquals(List.of(Stage.JOURNAL_HAS_SUBMIT, Stage.SCHEDULE_APPENDED, Stage.JOURNAL_HAS_RESULT), stamps);
            journal.endOfBatch();
            journal.endOfBatch();
            assertEquals(Stage.RESULT_DURABLE, stamps.get(3));
            assertEquals(4, stamps.size());
        }
    }
}
