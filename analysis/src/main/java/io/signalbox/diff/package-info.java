// SPDX-License-Identifier: Apache-2.0

/**
 * API: two journals side by side.
 */
package io.signalbox.diff;
