// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: what HTTP adds to the embedded engine, against a bare handler of the same library.
 */
package io.signalbox.bench.serving;
