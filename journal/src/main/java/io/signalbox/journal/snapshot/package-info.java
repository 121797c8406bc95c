// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: files of snapshots of the state and of the scheduler.
 */
package io.signalbox.journal.snapshot;
