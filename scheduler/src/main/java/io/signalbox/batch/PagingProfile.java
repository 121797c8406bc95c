// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/**
 * What happens to running requests when KV blocks run short, and in which order requests get and give blocks. Engines
 * use the first; the benchmarks run both over one load and print what each would have done.
 */
public enum PagingProfile
{
    /**
     * Signalbox's default, after vLLM's scheduler: running requests come first in the order of their admission; when
     * blocks run out, the one admitted last gives up its blocks and is computed again later. A prefix is shared only
     * once the step that computes it has completed. {@link BatchPlanner}.
     */
    RECOMPUTE,
    /**
     * The rules of Megatron Core's dynamic context as of August 2026: a request that crosses a block boundary is paused
     * and resumed, the one paused last first; paused requests keep their blocks up to a limit, and what overflows it is
     * evicted; a prefix can be shared from the moment of its admission. The {@code MegatronPlanner} decides as the
     * original does, block by block, in order to be compared with it and to answer what it would have done.
     */
    MEGATRON
}
