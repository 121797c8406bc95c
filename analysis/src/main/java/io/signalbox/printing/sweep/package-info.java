// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: a sweep as text and as JSON.
 */
package io.signalbox.printing.sweep;
