// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.event.codec.RefusalReason;

import java.util.List;

/**
 * The life of one Submit.
 *
 * @param clientId      the client's own id; {@code null} if it gave none.
 * @param refusal       {@code null} if it was accepted.
 * @param events        in the order of the journal; none if it was refused.
 * @param blocks        KV blocks that the request holds, or held when it ended.
 * @param emittedTokens number of tokens that the client has received so far.
 */
public record RequestLife(
    Submission submission, String clientId, RefusalReason refusal, List<LifeEvent> events, List<HeldBlock> blocks,
    int emittedTokens)
{
    /** Value of a field that a Submit leaves out. */
    public static final int NONE = -1;

    /** Fields of the Submit; {@link #NONE} if it names no conversation, hint or deadline. */
    public record Submission(
        long timeNanos,
        long conversationId,
        long deadlineNanos,
        int promptTokens,
        int maxNewTokens,
        int priority,
        int rankHint,
        boolean rankHintRelaxed)
    {
    }

    /** The first event of this kind; {@code null} if there is none. */
    public <E extends LifeEvent> E first(final Class<E> kind)
    {
        return events.stream().filter(kind::isInstance).map(kind::cast).findFirst().orElse(null);
    }
}
