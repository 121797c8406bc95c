// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.util.List;
import java.util.Map;

/**
 * Requests to put on the scheduler. The same settings give the same requests on every JVM. Requests that are due at
 * the same instant are submitted in the order of {@link #requests()}.
 */
public interface Workload
{
    /** The most requests of a workload that is read or generated. */
    int MAX_REQUESTS = 10_000_000;

    /** Every request, by ascending id. A predecessor comes before its followers. */
    List<WorkloadRequest> requests();

    /** The index in {@link #requests()} of a request; -1 if the workload has none with this id. */
    default int indexOf(final long requestId)
    {
        return requestId < 1 || requestId > requests().size() ? -1 : (int)requestId - 1;
    }

    /** The requests as a run recorded them; null if the workload was generated or read from a trace. */
    default RecordedRequests recorded()
    {
        return null;
    }

    /** The tokens of the prompts; null if the workload only names blocks, as a recorded one does. */
    default PromptText text()
    {
        return null;
    }

    /**
     * Writes the names of the blocks of a prompt, in place of hashes, if there is no {@link #text}: one per <em>full</em>
     * engine block. Two prompts share a name only if they are equal up to and including that block. A name is between 1
     * and 2^63 - 1.
     *
     * @param target at least {@code promptTokens / blockSizeTokens} long.
     * @return the number of hashes written, {@code promptTokens / blockSizeTokens}.
     */
    default int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
    {
        throw new UnsupportedOperationException("the blocks of " + placeOf(request) + " have no names; hash its tokens");
    }

    /**
     * Writes the names of the blocks that decoding fills, beginning with the block in which the prompt ends, if a later
     * prompt may continue the answer by these names. A workload with {@link #text} has no names: its answers are hashed.
     *
     * @param target at least {@code outputTokens / blockSizeTokens + 1} long; an unknown name is 0.
     * @return the number of names written.
     */
    default int answerNames(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
    {
        return 0;
    }

    /** The tenant that sends the request; empty if the workload has none. */
    default String tenant(final WorkloadRequest request)
    {
        return "";
    }

    /** Names a request in a message. A recorded workload names the line of its file. */
    default String placeOf(final WorkloadRequest request)
    {
        return "request " + request.requestId() + " of the workload";
    }

    /** Everything the requests depend on, by names that start with {@code workload.}, sorted. */
    Map<String, String> settings();
}
