// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import java.lang.reflect.Constructor;

/** Which implementation of {@link RowProducts} this JVM uses, found once. */
final class RowProductsChoice
{
    private static final String VECTOR_MODULE = "jdk.incubator.vector";
    private static final String VECTOR_CLASS = "io.signalbox.model.forward.VectorRowProducts";

    private final Constructor<? extends RowProducts> vector;

    private RowProductsChoice(final Constructor<? extends RowProducts> vector)
    {
        this.vector = vector;
    }

    /** The Vector API if the JVM has it (--add-modules jdk.incubator.vector) with 256 bits or more; else plain loops. */
    static RowProductsChoice find()
    {
        if (ModuleLayer.boot().findModule(VECTOR_MODULE).isEmpty())
        {
            return new RowProductsChoice(null);
        }
        try
        {
            final Constructor<? extends RowProducts> found =
                Class.forName(VECTOR_CLASS).asSubclass(RowProducts.class).getDeclaredConstructor();
            found.newInstance();
            return new RowProductsChoice(found);
        }
        catch (final ReflectiveOperationException | LinkageError e)
        {
            // Vectors that are too short, or another form of the API: plain loops compute the same bits.
            return new RowProductsChoice(null);
        }
    }

    RowProducts make()
    {
        if (vector == null)
        {
            return new PlainRowProducts();
        }
        try
        {
            return vector.newInstance();
        }
        catch (final ReflectiveOperationException e)
        {
            throw new IllegalStateException("the Vector API served this JVM before, and does not now", e);
        }
    }

    /** For reports. */
    String description()
    {
        return vector == null ? "plain loops" : "Vector API";
    }
}
