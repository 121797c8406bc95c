// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.backend.Backend;
import io.signalbox.experts.ModelShape;

/** Runs the real engine over a backend: the command line has it, and the backend does not know it. */
@FunctionalInterface
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
}
