// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.CommitView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.EntryVerdict;

import java.util.ArrayList;
import java.util.List;

/** Steps in short, so that a test can be read: {@code Schedule 3: 1@7~3+4 <14 after 2/0}. */
final class DecisionText
{
    private DecisionText()
    {
    }

    /**
     * Per entry: request, lowest start, slack behind {@code ~}, tokens behind {@code +}, end behind {@code <}, step and
     * entry of the predecessor behind {@code after}.
     */
    static String of(final StepView step)
    {
        final List<String> entries = new ArrayList<>();
        for (int i = 0; i < step.entryCount(); i++)
        {
            final long before = step.step() - step.predecessorBack(i);
            entries.add(step.requestId(i) + "@" + step.start(i) + (step.slack(i) > 0 ? "~" + step.slack(i) : "") + "+" +
                step.tokenCount(i) + " <" + step.end(i) +
                (step.predecessorBack(i) > 0 ? " after " + before + "/" + step.predecessorEntry(i) : ""));
        }
        return "Schedule " + step.step() + ": " + (entries.isEmpty() ? "nothing" : String.join("; ", entries));
    }

    /** Per entry: request, start, tokens computed, and of the others how many were rejected or came after a stop. */
    static String of(final CommitView commit)
    {
        final List<String> entries = new ArrayList<>();
        int token = 0;
        for (int i = 0; i < commit.entryCount(); i++)
        {
            final StringBuilder text = new StringBuilder().append(commit.requestId(i));
            if (commit.verdict(i) != EntryVerdict.LIVE)
            {
                entries.add(text.append(' ').append(commit.verdict(i)).toString());
                continue;
            }
            text.append('@').append(commit.start(i)).append('+').append(commit.advance(i));
            text.append(commit.rejected(i) > 0 ? " rejected " + commit.rejected(i) : "");
            text.append(commit.afterStop(i) > 0 ? " after stop " + commit.afterStop(i) : "");
            for (int emitted = 0; emitted < commit.emitted(i); emitted++)
            {
                text.append(emitted == 0 ? " emits " : " ").append(commit.token(token++));
            }
            entries.add(text.toString());
        }
        return "Commit " + commit.step() + ": " + (entries.isEmpty() ? "nothing" : String.join("; ", entries));
    }
}
