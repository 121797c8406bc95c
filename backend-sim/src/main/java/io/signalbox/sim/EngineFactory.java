// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.backend.Backend;
import io.signalbox.engine.Engine;
import io.signalbox.engine.GroupJournal;
import io.signalbox.engine.GroupListener;
import io.signalbox.scheduler.SchedulerConfig;

/** Opens the engine of one run; {@code SteppedEngine::new} is one. */
@FunctionalInterface
public interface EngineFactory
{
    /** @param journal null: none. */
    Engine open(SchedulerConfig config, Backend backend, GroupJournal journal, GroupListener listener);
}
