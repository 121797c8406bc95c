// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: routers by published formulas.
 *
 * <p>{@link io.signalbox.router.DpRouters} finds them by label.
 */
package io.signalbox.router.published;
