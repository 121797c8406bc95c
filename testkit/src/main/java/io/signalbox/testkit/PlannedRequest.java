// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

/**
 * One request of a workload for the harness.
 *
 * @param prompt   tokens, 1 or more.
 * @param like     number of an earlier request with which the prompt begins alike; 0: none.
 * @param shared   tokens that it has in common with that one.
 * @param generate most tokens to generate.
 * @param priority of the request.
 */
public record PlannedRequest(int prompt, int like, int shared, int generate, int priority)
{
    void submit(final EngineHarness engine, final int number)
    {
        final HarnessRequest request = engine.request(number).prompt(prompt).generate(generate);
        if (like > 0 && like < number)
        {
            request.beginsLike(like, shared);
        }
        request.with(options -> options.priority(priority)).submit();
    }
}
