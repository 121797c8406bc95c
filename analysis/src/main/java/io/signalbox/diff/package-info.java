// SPDX-License-Identifier: Apache-2.0

/**
 * Preview: two journals side by side.
 */
package io.signalbox.diff;
