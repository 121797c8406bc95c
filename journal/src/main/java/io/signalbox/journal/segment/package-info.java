// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the bytes of a journal, as Chronicle writes and as a scan reads them.
 */
package io.signalbox.journal.segment;
