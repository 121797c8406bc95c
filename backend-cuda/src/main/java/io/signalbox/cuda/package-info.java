// SPDX-License-Identifier: Apache-2.0

/**
 * Preview: the backend for NVIDIA GPUs.
 *
 * <p>One thread per rank launches steps and reports results. {@code docs/cuda.md} describes the device side.
 */
package io.signalbox.cuda;
