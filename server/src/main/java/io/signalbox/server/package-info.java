// SPDX-License-Identifier: Apache-2.0

/**
 * Preview: an HTTP server over an engine.
 *
 * <p>{@link io.signalbox.server.SignalboxServer} answers the routes that clients of OpenAI's API, vLLM and SGLang call. It
 * decides nothing: requests go to the engine, and their tokens come back as they become visible.
 */
package io.signalbox.server;
