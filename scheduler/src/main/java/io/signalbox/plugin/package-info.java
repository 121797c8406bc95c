// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: third-party parts from jars, which {@link io.signalbox.plugin.PluginJars} loads.
 */
package io.signalbox.plugin;
