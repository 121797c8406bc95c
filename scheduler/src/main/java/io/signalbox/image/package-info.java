// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: images of a scheduler.
 *
 * <p>An image is the bytes of the fields that the parts of a scheduler save.
 */
package io.signalbox.image;
