// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.engine.Engine;
import io.signalbox.engine.EngineConfig;

/**
 * Opens the engine of one run: {@code SteppedEngine::new} or {@code ThreadedEngine::new}, perhaps after choosing the
 * size of its rings.
 */
@FunctionalInterface
public interface EngineFactory
{
    /** @param context complete; configuration, backend, journal, listener and source of wakes are not to be changed. */
    Engine open(EngineConfig context);
}
