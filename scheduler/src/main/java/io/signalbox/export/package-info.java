// SPDX-License-Identifier: Apache-2.0

/**
 * API: routed experts as files that other programs read.
 */
package io.signalbox.export;
