// SPDX-License-Identifier: Apache-2.0

/**
 * API: the choice of a DP rank.
 *
 * <p>{@link io.signalbox.router.DpRouter} is the seam; {@link io.signalbox.router.RouterConfig} names a router and sets its
 * knobs. Pure: a router decides from the batch that it is given and from its own bounded memory.
 */
package io.signalbox.router;
