// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: steps in flight of a rank, their deadlines, and the bytes of a report.
 */
package io.signalbox.engine.step;
