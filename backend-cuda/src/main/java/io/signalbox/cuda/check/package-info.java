// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the check of the CUDA backend on the GPU of this machine.
 *
 * <p>Sections with a limit each: device, kernels against the Java oracle, steps, cost of capture.
 */
package io.signalbox.cuda.check;
