// SPDX-License-Identifier: Apache-2.0
package io.signalbox.backend;

/**
 * What a backend says it can do; the engine refuses at start what it cannot.
 *
 * @param name            for reports and messages.
 * @param capturesExperts whether routed-expert rows can be captured.
 * @param readsTokens     whether the backend needs token ids; a simulator does not.
 */
public record BackendCapabilities(String name, boolean capturesExperts, boolean readsTokens)
{
}
