// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.backend.StepTokens;
import io.signalbox.event.codec.D2hCompleteEncoder;

import java.util.ArrayList;
import java.util.List;

/** The report of a device on a step, before it is encoded: it can be spoiled. */
final class ModelAnswer
{
    final List<Integer> starts = new ArrayList<>();
    final List<Integer> accepted = new ArrayList<>();
    final List<Integer> tokens = new ArrayList<>();
    private long checksumError;

    ModelAnswer()
    {
    }

    ModelAnswer(final StepTokens reported)
    {
        for (int i = 0; i < reported.entryCount(); i++)
        {
            starts.add(reported.start(i));
            accepted.add(reported.accepted(i));
        }
        for (int i = 0; i < reported.tokenCount(); i++)
        {
            tokens.add(reported.token(i));
        }
    }

    /** To be added to the checksum of the rows. */
    long checksumError()
    {
        return checksumError;
    }

    void spoilChecksum()
    {
        checksumError++;
    }

    void encode(final D2hCompleteEncoder message)
    {
        final D2hCompleteEncoder.EntriesEncoder entries = message.entriesCount(starts.size());
        for (int i = 0; i < starts.size(); i++)
        {
            entries.next().start(starts.get(i)).accepted(accepted.get(i).shortValue());
        }
        final D2hCompleteEncoder.TokensEncoder encoder = message.tokensCount(tokens.size());
        tokens.forEach(token -> encoder.next().tokenId(token));
    }
}
