// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: which tokens run in the next step.
 *
 * <p>Admission, chunked prefill, decode, preemption, and the commit of a step's results. Pure.
 */
package io.signalbox.batch;
