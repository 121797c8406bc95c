// SPDX-License-Identifier: Apache-2.0

/**
 * API: parts that are not part of Signalbox, from jars.
 *
 * <p>{@link io.signalbox.plugin.PluginJars} loads them;
 * {@link io.signalbox.plugin.RouterTrial} tests a router before it runs.
 */
package io.signalbox.plugin;
