// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: answers as tables, as JSON, Parquet, CSV and Perfetto documents, and the files that take them.
 */
package io.signalbox.printing;
