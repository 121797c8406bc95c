// SPDX-License-Identifier: Apache-2.0

/**
 * Preview: routers, workloads, pool sizes and seeds, compared.
 *
 * <p>Each cell is one simulation without a journal; the result does not depend on the number of threads.
 */
package io.signalbox.compare;
