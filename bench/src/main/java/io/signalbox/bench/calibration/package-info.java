// SPDX-License-Identifier: Apache-2.0
/** Fits the cost tables that ship to published measurements, and writes the page on their accuracy. */
package io.signalbox.bench.calibration;
