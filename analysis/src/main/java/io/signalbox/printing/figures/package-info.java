// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the figures of runs side by side, and columns of text.
 */
package io.signalbox.printing.figures;
