// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.backend.Backend;
import io.signalbox.experts.ModelShape;

import java.util.List;

/** Runs the real engine over a backend: the command line has it, and the backend does not know it. */
public interface EngineRunner
{
    /**
     * Starts an engine with one rank over the backend, has one request generate tokens, and closes both.
     *
     * @param capture the rows to capture.
     * @param tokens  to generate, one step each.
     * @throws RuntimeException if the request does not end with all its tokens.
     */
    void generate(Backend backend, ModelShape capture, int tokens);

    /**
     * Starts an engine with two ranks over the backend, whose pool is too small for all requests, and with a journal; has
     * one request for each prompt generate its most probable tokens, and takes its rows; closes both, and verifies the
     * journal.
     *
     * @param capture the rows to capture.
     * @param tokens  of each answer.
     * @param drafts  draft tokens of an entry, which the backend guesses; 0: none.
     * @param seconds for so long a prompt is given again whenever it was answered; 0: each is given once.
     * @throws RuntimeException if a request does not end with all its tokens, or the journal does not verify.
     */
    Served serve(Backend backend, ModelShape capture, List<int[]> prompts, int tokens, int drafts, double seconds);

    /**
     * @param tokens        the first answers, in the order of the prompts.
     * @param requests      all that were answered.
     * @param others        of these, with other tokens or other rows than the first one with their prompt.
     * @param preemptions   how often a request was preempted.
     * @param severalTokens entries that gave several tokens.
     * @param rows          that requests have, the missing ones among them.
     * @param missingRows   of which nobody knows the experts.
     */
    record Served(
        List<int[]> tokens, long requests, long others, long preemptions, long severalTokens, long rows, long missingRows)
    {
    }
}
