// SPDX-License-Identifier: Apache-2.0

/**
 * Preview: text of a served model.
 *
 * <p>{@link io.signalbox.server.text.ModelText} encodes prompts and conversations, and decodes answers. An answer is decoded
 * token by token without splitting a character, and searched for stop strings.
 */
package io.signalbox.server.text;
