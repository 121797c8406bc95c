// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the CUDA driver, found, probed and called.
 *
 * <p>{@link io.signalbox.cuda.driver.CudaDriver} is the seam for tests; only {@code JCudaBinding} and its handles depend on
 * JCuda.
 */
package io.signalbox.cuda.driver;
