// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: Hugging Face's tokenizers behind the seam of {@code io.signalbox.serving}.
 *
 * <p>The only room with a native library that others made. Nothing is downloaded, and nothing is reported to anybody.
 */
package io.signalbox.tokenizer;
