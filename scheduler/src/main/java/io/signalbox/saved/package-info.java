// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the form in which the parts of a scheduler save their state.
 *
 * <p>A part lists its fields once, in a method {@code save}: the same calls in the same order write and read them. A
 * later version adds fields at the end of a record, and never removes or reorders any.
 */
package io.signalbox.saved;
