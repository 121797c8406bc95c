// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the figures of runs side by side, as text.
 */
package io.signalbox.printing.figures;
