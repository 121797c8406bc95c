// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: results as tables and documents, refusals, help and progress.
 */
package io.signalbox.cli.printing;
