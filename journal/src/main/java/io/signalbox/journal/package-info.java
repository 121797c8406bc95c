// SPDX-License-Identifier: Apache-2.0

/**
 * API: write, read, verify and recover the journal of a run.
 *
 * <p>Chronicle Queue only writes. All reading is done in plain Java with checked bounds, so damage is refused with a
 * reason and never crashes the JVM. Layout and durability: {@code docs/journal.md}. The packages below know only the words
 * of this one: what a caller configures, the exception, and how a journal ends.
 */
package io.signalbox.journal;
