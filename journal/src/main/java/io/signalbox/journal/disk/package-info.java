// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: files, directories, locks and disk space, and what the system says when one of them fails.
 */
package io.signalbox.journal.disk;
