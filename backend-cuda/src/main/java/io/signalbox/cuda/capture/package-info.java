// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the ring of slots through which results reach the host.
 *
 * <p>Each guard against reuse, tearing and stale data is named in {@code docs/cuda.md}.
 */
package io.signalbox.cuda.capture;
