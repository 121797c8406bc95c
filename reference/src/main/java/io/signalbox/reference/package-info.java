// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: how other systems decide, record by record.
 *
 * <p>For tests only; no module that runs depends on it.
 */
package io.signalbox.reference;
