// SPDX-License-Identifier: Apache-2.0

/**
 * API: answers from a journal: one request's life, the routed-expert rows of requests.
 *
 * <p>Every candidate of every placement, admissions, tokens, preemptions and the end.
 */
package io.signalbox.inspect;
