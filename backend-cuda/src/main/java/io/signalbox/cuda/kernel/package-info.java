// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the kernel image, its launches, and the Java oracle of the expert-router kernels.
 *
 * <p>Layouts and arithmetic are contracts of {@code docs/cuda.md}.
 */
package io.signalbox.cuda.kernel;
