// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: third-party parts from jars.
 *
 * <p>{@link io.signalbox.plugin.PluginJars} loads them;
 * {@link io.signalbox.plugin.RouterTrial} tests a router before it runs.
 */
package io.signalbox.plugin;
