// SPDX-License-Identifier: Apache-2.0

/**
 * API: events and their binary form.
 *
 * <p>{@link io.signalbox.event.GroupReader} walks a group. One schema, {@code signalbox.xml}, generates the codecs. A group
 * is one input with all its outputs. The layout is a contract with the journal: {@code docs/journal.md}.
 */
package io.signalbox.event;
