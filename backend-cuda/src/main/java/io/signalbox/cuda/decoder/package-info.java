// SPDX-License-Identifier: Apache-2.0
/**
 * Internal: a decoder on a GPU, with the bits of {@code io.signalbox.model.forward}.
 */
package io.signalbox.cuda.decoder;
