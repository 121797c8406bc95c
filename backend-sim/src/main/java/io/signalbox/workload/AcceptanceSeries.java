// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.nio.file.Path;
import java.util.List;

/**
 * How many draft tokens the steps of recorded requests accepted. The file is JSONL, plain or gzipped, with one request per
 * line: {@code {"accepted": [3, 0, 2]}} has one count for each step after the one that computed the last of the prompt.
 * That step generates one token, and each further step one more than its count.
 *
 * <p>It is read by position, not by step: of the tokens that a recorded step generated, the last one was sampled, and the
 * others were right drafts. So preemption, a restart or another depth changes the steps, and not which drafts are right.
 */
public final class AcceptanceSeries
{
    private final Path file;
    private final List<AcceptedTokens> requests;
    private final int highestCount;
    private final int lineOfHighest;

    /** @param lineOfHighest the first line with that count. */
    AcceptanceSeries(
        final Path file, final List<AcceptedTokens> requests, final int highestCount, final int lineOfHighest)
    {
        this.file = file;
        this.requests = List.copyOf(requests);
        this.highestCount = highestCount;
        this.lineOfHighest = lineOfHighest;
    }

    /** @throws io.signalbox.ConfigException that names file, line and fault when the series is not usable. */
    public static AcceptanceSeries read(final Path file)
    {
        return new AcceptanceSeriesReader(file).read();
    }

    /** The file's name, without its directory. */
    public String name()
    {
        return file.getFileName().toString();
    }

    /** Of all lines, independent of white space and compression. */
    public long contentHash()
    {
        long hash = requests.size();
        for (final AcceptedTokens request : requests)
        {
            hash = request.addTo(hash);
        }
        return hash;
    }

    /**
     * Whether a draft token is right.
     *
     * @param requestId from 1, the line of the request.
     * @param generated generated tokens ahead of it; false past the end of the line.
     */
    public boolean isRight(final long requestId, final int generated)
    {
        return requests.get((int)requestId - 1).isAccepted(generated);
    }

    /** Requests that the series tells of. */
    public int requests()
    {
        return requests.size();
    }

    /** Generated tokens that the line of a request tells of: one, and one more than each count. */
    public int tokens(final long requestId)
    {
        return requests.get((int)requestId - 1).count();
    }

    /** The most draft tokens that a step accepted for a request. */
    public int highestCount()
    {
        return highestCount;
    }

    /** A line of the series, as the subject of a sentence. */
    public String place(final long line)
    {
        return toString() + ", line " + line + ",";
    }

    /** The line of the first highest count. */
    public int lineOfHighest()
    {
        return lineOfHighest;
    }

    @Override
    public String toString()
    {
        return "the " + AcceptanceSeriesReader.WHAT + " " + file;
    }
}
