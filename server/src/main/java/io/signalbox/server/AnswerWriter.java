// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import java.util.List;

/** Writes the answers of one HTTP request in the form of its route. Called by one thread at a time. */
interface AnswerWriter
{
    /** Tokens of an answer have come; {@link ServedAnswer#show} says which. */
    void tokens(ServedAnswer answer, String text);

    /** An answer is complete. */
    void ended(ServedAnswer answer, String rest);

    /** All answers are complete; the last call. */
    void allEnded(List<ServedAnswer> answers);

    /** There is no answer, or not a whole one; the last call. */
    void failed(ApiError error);

    /** Nothing was sent for some time: the connection is to be kept alive. */
    void quiet();
}
