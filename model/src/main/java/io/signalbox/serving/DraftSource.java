// SPDX-License-Identifier: Apache-2.0
package io.signalbox.serving;

import io.signalbox.event.RequestContent;

/**
 * Guesses which tokens a request generates. A backend feeds the guesses as draft tokens, behind the token that it must
 * feed, and keeps those that the model samples as well. So a guess never changes an answer, whatever it is.
 */
public interface DraftSource
{
    /** Most draft tokens of an entry. */
    int MOST_TOKENS = 63;

    /**
     * Guesses the tokens at consecutive positions of a request's sequence. Called while a step is submitted, by one thread
     * at a time. At which of the positions the step starts is known later, and to the device alone.
     *
     * @param request  valid during the call.
     * @param from     the first of the positions; tokens before it are known, or in steps in flight.
     * @param guesses  receives a token for each position; what the vocabulary does not have counts as no guess.
     * @param at       where the first guess goes.
     * @param count    positions, 0 or more.
     */
    void guess(RequestContent request, int from, int[] guesses, int at, int count);
}
