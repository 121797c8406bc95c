// SPDX-License-Identifier: Apache-2.0

/**
 * Preview: the report of a run.
 *
 * <p>It is built from groups alone, so a journal gives the same report as the run that wrote it.
 */
package io.signalbox.report;
