// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the state of a run at any of its records, computed by folding events and without a policy.
 *
 * <p>{@link io.signalbox.state.RunFold} keeps live requests, their blocks and steps in flight, and calls
 * {@link io.signalbox.state.RunListener listeners}. {@link io.signalbox.state.StateFold} is one of them: it keeps a
 * {@link io.signalbox.state.FoldedState}, which
 * {@link io.signalbox.state.StateCodec} writes and reads.
 */
package io.signalbox.state;
