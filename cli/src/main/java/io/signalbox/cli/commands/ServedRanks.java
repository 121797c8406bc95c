// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.backend.Backend;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.server.ServedModel;

import java.util.Map;

/**
 * The ranks of a server.
 *
 * @param backend   that was not started.
 * @param model     with its usual names, and the positions that it has.
 * @param settings  what a run description has of them, besides the engine's.
 * @param loaded    the model that they compute; {@code null}: they are simulated.
 * @param readsText whether prompts can be texts.
 * @param onClose   after the engine has ended.
 */
record ServedRanks(
    Backend backend, SchedulerConfig scheduler, ServedModel model, Map<String, String> settings, LoadedModel loaded,
    boolean readsText, Runnable onClose)
{
}
