// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the table of incidents as text and as JSON.
 */
package io.signalbox.printing.incident;
