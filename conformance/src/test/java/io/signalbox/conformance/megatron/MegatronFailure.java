// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

/** A call in which Megatron Core raises an exception. The pool is as it was before the call. */
public final class MegatronFailure extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    /** The exception of the original. */
    public enum Kind
    {
        ASSERTION("AssertionError"),
        /** A deep block of a prefix is known, and one before it is not. */
        BROKEN_PREFIX("KeyError");

        private final String original;

        Kind(final String original)
        {
            this.original = original;
        }

        /** The name that the records have for it. */
        public String original()
        {
            return original;
        }
    }

    private final Kind kind;

    MegatronFailure(final Kind kind, final String message)
    {
        super(message);
        this.kind = kind;
    }

    public Kind kind()
    {
        return kind;
    }
}
