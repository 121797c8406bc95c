// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: what threads share: slots of the rings, waits, stages, and the events of a flight recording.
 */
package io.signalbox.engine.ring;
