// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: reports as HTML pages: one file with its charts, without a network, the same bytes for the same data.
 */
package io.signalbox.printing.page;
