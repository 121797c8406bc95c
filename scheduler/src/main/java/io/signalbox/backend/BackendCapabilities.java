// SPDX-License-Identifier: Apache-2.0
package io.signalbox.backend;

/**
 * Capabilities that a backend declares. The engine refuses to start with a configuration that they do not cover.
 *
 * @param name            for reports and messages.
 * @param capturesExperts whether routed-expert rows can be captured.
 * @param readsTokens     whether the backend needs token ids; a simulator does not.
 */
public record BackendCapabilities(String name, boolean capturesExperts, boolean readsTokens)
{
}
