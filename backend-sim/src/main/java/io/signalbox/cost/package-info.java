// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: what a step of a served model costs on measured GPUs.
 *
 * <p>Times of kernels are fitted to published measurements, and so is how far whole deployments differ from the sum of their
 * kernels. Pure, apart from reading its resource and files that a caller names.
 */
package io.signalbox.cost;
