// SPDX-License-Identifier: Apache-2.0

/**
 * API: types that every module shares.
 *
 * <p>Exceptions, digests, quantiles and seeded tokens. A {@link io.signalbox.ConfigException} names a setting, its value,
 * what is allowed and the remedy; an {@link io.signalbox.InvariantViolation} stops the engine.
 * {@link io.signalbox.DocumentSchema}, {@link io.signalbox.JsonName}, {@link io.signalbox.JsonNull} and
 * {@link io.signalbox.JsonInline} say how a record appears in a JSON document.
 */
package io.signalbox;
