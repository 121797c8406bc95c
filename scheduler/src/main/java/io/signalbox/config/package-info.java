// SPDX-License-Identifier: Apache-2.0

/**
 * API: settings that are declared once.
 *
 * <p>{@link io.signalbox.config.Setting} has name, unit, type, default, range and meaning; it parses, prints and checks.
 * {@link io.signalbox.config.SettingValues} holds the values of a list of settings.
 */
package io.signalbox.config;
