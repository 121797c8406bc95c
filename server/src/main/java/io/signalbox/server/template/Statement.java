// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import java.util.List;

/** A part of a template that writes, or sets variables. */
@FunctionalInterface
interface Statement
{
    Statement NOTHING = scope -> Next.STATEMENT;

    Next run(Scope scope);

    /** Where a rendering goes on. */
    enum Next
    {
        STATEMENT, ROUND, AFTER_LOOP
    }

    static Statement all(final List<Statement> statements)
    {
        return scope ->
        {
            for (final Statement statement : statements)
            {
                final Next next = statement.run(scope);
                if (next != Next.STATEMENT)
                {
                    return next;
                }
            }
            return Next.STATEMENT;
        };
    }
}
