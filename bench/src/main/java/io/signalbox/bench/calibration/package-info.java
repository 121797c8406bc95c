// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the fit of the cost tables that ship, and the page on their accuracy.
 *
 * <p>{@code scripts/fit-costs} runs it.
 */
package io.signalbox.bench.calibration;
