// SPDX-License-Identifier: Apache-2.0

/**
 * API: one request's life, collected from a journal.
 *
 * <p>Every candidate of every placement, admissions, tokens, preemptions and the end.
 */
package io.signalbox.journal.inspect;
