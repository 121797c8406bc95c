// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.experts.ModelShape;
import org.agrona.DirectBuffer;

/**
 * Holds the report of a backend against the step that its rank was given. Every method returns what is wrong, as a
 * sentence for the journal, or null. Thread-safe.
 */
final class ReportCheck
{
    private final ModelShape capture;
    private final int vocabularySize;

    /**
     * @param capture        the rows that every completion brings, or null if capture is off.
     * @param vocabularySize token ids are below it.
     */
    ReportCheck(final ModelShape capture, final int vocabularySize)
    {
        this.capture = capture;
        this.vocabularySize = vocabularySize;
    }

    /** The rows that every completion brings, or null if capture is off. */
    ModelShape capture()
    {
        return capture;
    }

    /** Whether the report is of the step that the rank was given last, and the first of it. */
    String step(final LaunchedSteps.Launch launch, final int epoch, final int rank, final long step)
    {
        final long last = launch.step();
        if (step == last && epoch == launch.epoch())
        {
            return launch.isAnswered(step) ? "step " + step + " of rank " + rank + " was reported twice" : null;
        }
        return "the backend reported step " + step + " of epoch " + epoch + " for rank " + rank + ", which was given " +
            (last == 0 ? "no step yet" : "step " + last + " of epoch " + launch.epoch() + " last");
    }

    /** Whether a step that is not the last of its rank is a former one: its result comes too late, but it exists. */
    static boolean isFormer(final LaunchedSteps.Launch launch, final int epoch, final long step)
    {
        return step > 0 && epoch <= launch.epoch() && step < launch.step();
    }

    /** Whether the results can be those of the rank's step. Expert ids are left to the scheduler. */
    String results(
        final LaunchedSteps.Launch launch,
        final int rank,
        final int[] sampledTokens,
        final int sampledCount,
        final CaptureSlice rows)
    {
        final String fault = tokens(launch.entries(), sampledTokens, sampledCount);
        final String either = fault == null ? rows(launch.tokens(), rows) : fault;
        return either == null ? null : "step " + launch.step() + " of rank " + rank + " " + either;
    }

    private String tokens(final int planned, final int[] sampledTokens, final int sampledCount)
    {
        if (sampledTokens == null)
        {
            return "came without its sampled tokens";
        }
        if (sampledCount != planned || sampledTokens.length < sampledCount)
        {
            return "has " + planned + " entries but came with " + sampledCount + " sampled tokens in an array of " +
                sampledTokens.length;
        }
        for (int entry = 0; entry < sampledCount; entry++)
        {
            final int token = sampledTokens[entry];
            if (token < 0 || token >= vocabularySize)
            {
                return "sampled token " + token + " for entry " + entry + ", but tokens are 0 to " + (vocabularySize - 1);
            }
        }
        return null;
    }

    private String rows(final int planned, final CaptureSlice rows)
    {
        if (capture == null)
        {
            return rows == null ? null : "came with routed-expert rows, but capture is off";
        }
        if (rows == null)
        {
            return "came without its routed-expert rows";
        }
        if (rows.rowCount() != planned || rows.rowBytes() != capture.rowBytes())
        {
            return "computes " + planned + " tokens with routed-expert rows of " + capture.rowBytes() +
                " bytes but came with " + rows.rowCount() + " rows of " + rows.rowBytes() + " bytes";
        }
        return bytes(rows.buffer(), rows.offset(), planned * capture.rowBytes());
    }

    private static String bytes(final DirectBuffer buffer, final int offset, final int length)
    {
        if (buffer == null || buffer.byteArray() == null && buffer.byteBuffer() == null)
        {
            return "has its routed-expert rows neither in an array nor in a ByteBuffer";
        }
        if (offset < 0 || offset > buffer.capacity() - length)
        {
            return "has " + length + " bytes of routed-expert rows, but its slice begins at byte " + offset +
                " of " + buffer.capacity();
        }
        return null;
    }
}
