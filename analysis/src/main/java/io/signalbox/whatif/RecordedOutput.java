// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.workload.RecordedRequests;

import java.util.Arrays;
import java.util.BitSet;

/** The tokens that a recorded request generated, and which of them were right drafts. */
final class RecordedOutput
{
    private int[] tokens = {};
    private int count;
    /** A bit for each token that was accepted as a draft. */
    private final BitSet drafts = new BitSet();

    /** A step that emitted so many tokens, which were added: all but the last are right drafts. */
    void step(final int emitted)
    {
        for (int i = 0; i < emitted - 1; i++)
        {
            drafts.set(count - emitted + i);
        }
    }

    void token(final int token)
    {
        if (count == tokens.length)
        {
            tokens = Arrays.copyOf(tokens, Math.max(8, 2 * count));
        }
        tokens[count++] = token;
    }

    /** {@link RecordedRequests#NO_TOKEN} behind the last one. */
    int tokenAt(final int generated)
    {
        return generated >= 0 && generated < count ? tokens[generated] : RecordedRequests.NO_TOKEN;
    }

    int count()
    {
        return count;
    }

    boolean isRightDraft(final int generated)
    {
        return generated >= 0 && drafts.get(generated);
    }
}
