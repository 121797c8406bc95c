// SPDX-License-Identifier: Apache-2.0

/**
 * Preview: workloads, generated or read from traces.
 *
 * <p>A workload is a list of requests that arrive at fixed times or after their predecessors. Equal settings and seeds
 * give equal requests on every JVM.
 */
package io.signalbox.workload;
