// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.util.Arrays;

/**
 * The parts of the prompt of an agent's request.
 *
 * @param play          number of the play, whose ids mean nothing in another one.
 * @param line          the line of the play in its file, from 1.
 * @param traceBlockIds one per full trace block; not to be changed.
 * @param sharedKey     names the tools and system prompt that the request begins with.
 * @param sharedBlocks  trace blocks that lie wholly in them; 0: not shared with other plays.
 */
record AgentPrompt(int play, int line, int blockTokens, int[] traceBlockIds, long sharedKey, int sharedBlocks)
{
    private static final long PLAYS = 0x706C617973L;
    private static final long SHARED = 0x736861726564L;
    private static final long TAIL = 0x7461696CL;

    /**
     * As in a Mooncake trace, the trace block that holds an engine block's last token names the prefix, together with
     * the place of that token. Tokens behind the last full trace block have no id: an engine block that ends there is
     * like no other request's.
     */
    int blockHashes(final long requestId, final int promptTokens, final int blockSizeTokens, final long[] target)
    {
        final int blocks = promptTokens / blockSizeTokens;
        final long own = SplitMix64.mix(PLAYS, play);
        for (int i = 0; i < blocks; i++)
        {
            final int lastToken = (i + 1) * blockSizeTokens - 1;
            final int block = lastToken / blockTokens;
            final long prefix = block >= traceBlockIds.length ? SplitMix64.mix(SplitMix64.mix(TAIL, requestId), block) :
                block < sharedBlocks ? SplitMix64.mix(sharedKey, block) : SplitMix64.mix(own, traceBlockIds[block]);
            target[i] = BlockHashes.positive(SplitMix64.mix(prefix, lastToken % blockTokens));
        }
        return blocks;
    }

    /**
     * The tools and system prompt of agents whose sizes of them are equal, as the first request of the first one has them.
     *
     * @param traceBlockIds of that request, as far as these reach.
     */
    record Shared(long key, int[] traceBlockIds)
    {
        static final Shared NOTHING = new Shared(0, new int[0]);

        static Shared of(final AgentPlay.Agent agent, final int blockTokens)
        {
            for (final AgentPlay.Element element : agent.elements())
            {
                if (element instanceof AgentPlay.PlayRequest first)
                {
                    final long sizes = SplitMix64.mix(SplitMix64.mix(SHARED, agent.toolTokens()), agent.systemTokens());
                    final int blocks = (int)(((long)agent.toolTokens() + agent.systemTokens()) / blockTokens);
                    return new Shared(SplitMix64.mix(sizes, blockTokens), Arrays.copyOf(
                        first.traceBlockIds(), Math.min(blocks, first.traceBlockIds().length)));
                }
            }
            return NOTHING;
        }

        /** Leading trace blocks that the request has in common with them: a prompt may change in mid-play. */
        int blocksOf(final AgentPlay.PlayRequest request)
        {
            int blocks = 0;
            while (blocks < traceBlockIds.length && blocks < request.traceBlockIds().length &&
                traceBlockIds[blocks] == request.traceBlockIds()[blocks])
            {
                blocks++;
            }
            return blocks;
        }
    }
}
