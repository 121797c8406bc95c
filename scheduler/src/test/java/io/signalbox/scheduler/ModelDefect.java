// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import java.util.function.ObjIntConsumer;

/** A way in which a completion cannot be true. */
enum ModelDefect
{
    NONE((answer, entry) ->
    {
    }),
    ENTRY_TOO_MANY((answer, entry) ->
    {
        answer.starts.add(0);
        answer.accepted.add(0);
    }),
    TOKEN_TOO_MANY((answer, entry) -> answer.tokens.add(1)),
    WRONG_CHECKSUM((answer, entry) -> answer.spoilChecksum()),
    /** Needs an entry whose request awaits it. */
    START_TOO_LOW((answer, entry) -> answer.starts.set(entry, answer.starts.get(entry) - 1)),
    START_TOO_HIGH((answer, entry) -> answer.starts.set(entry, answer.starts.get(entry) + 1)),
    TOO_MANY_ACCEPTED((answer, entry) ->
    {
        answer.accepted.set(entry, answer.accepted.get(entry) + 9);
        for (int i = 0; i < 9; i++)
        {
            answer.tokens.add(1);
        }
    }),
    /** Needs a token. */
    NEGATIVE_TOKEN((answer, entry) -> answer.tokens.set(answer.tokens.size() - 1, -1)),
    NONE_ACCEPTED((answer, entry) ->
    {
        int first = 0;
        while (answer.accepted.get(first) == 0)
        {
            first++;
        }
        for (int i = 0; i < answer.accepted.get(first); i++)
        {
            answer.tokens.remove(0);
        }
        answer.accepted.set(first, 0);
    });

    private static final int WITHOUT_ENTRY = 3;
    private static final int WITHOUT_TOKEN = 6;

    private final ObjIntConsumer<ModelAnswer> spoiling;

    ModelDefect(final ObjIntConsumer<ModelAnswer> spoiling)
    {
        this.spoiling = spoiling;
    }

    /** @param entry the one that is wrong, for defects of one entry. */
    void spoil(final ModelAnswer answer, final int entry)
    {
        spoiling.accept(answer, entry);
    }

    /** A defect that a step can have. */
    static ModelDefect of(final int choice, final boolean isAwaited, final boolean hasToken)
    {
        final int kinds = !isAwaited ? WITHOUT_ENTRY : hasToken ? values().length - 1 : WITHOUT_TOKEN;
        return values()[1 + choice % kinds];
    }
}
