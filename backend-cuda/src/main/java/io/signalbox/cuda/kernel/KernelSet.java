// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.ConfigException;

/**
 * Capabilities of a set of router kernels for routing capture. A kernel that was asked for capture and writes nothing leaves
 * rows that look like any others, so no set is taken to offer what it does not declare.
 *
 * @param name          how users and messages call the set.
 * @param writesCapture whether its router writes the capture view itself.
 * @param exportsIds    whether its router writes the ids that it chose.
 * @param exposesLogits whether the logits that its router reads can be read by another kernel.
 */
public record KernelSet(String name, boolean writesCapture, boolean exportsIds, boolean exposesLogits)
{
    /** Router kernels that show what they chose, in every form. */
    public static final KernelSet OPEN = named("open").writingCapture().exportingIds().exposingLogits();
    /** Router kernels that keep their choice to themselves. */
    public static final KernelSet OPAQUE = named("opaque").exposingLogits();

    /** A set that has declared nothing yet. */
    public static KernelSet named(final String name)
    {
        return new KernelSet(name, false, false, false);
    }

    public KernelSet writingCapture()
    {
        return new KernelSet(name, true, exportsIds, exposesLogits);
    }

    public KernelSet exportingIds()
    {
        return new KernelSet(name, writesCapture, true, exposesLogits);
    }

    public KernelSet exposingLogits()
    {
        return new KernelSet(name, writesCapture, exportsIds, true);
    }

    /** Whether its router's choice leaves the kernel in one way or another. */
    public boolean showsChoices()
    {
        return writesCapture || exportsIds;
    }

    /** Whether any form can be served. */
    public boolean servesAny()
    {
        return writesCapture || exportsIds || exposesLogits;
    }

    public boolean serves(final CaptureForm form)
    {
        return switch (form)
        {
            case FUSED -> writesCapture;
            case UNFUSED -> exportsIds;
            case BESIDE -> exposesLogits;
        };
    }

    /**
     * The cheapest form of capture that this set can serve.
     *
     * @throws ConfigException when there is none.
     */
    public CaptureForm captureForm()
    {
        for (final CaptureForm form : CaptureForm.values())
        {
            if (serves(form))
            {
                return form;
            }
        }
        throw new ConfigException("The kernel set '" + name +
            "' declares none of writesCapture, exportsIds and exposesLogits, so routed experts cannot be " +
            "captured from it; turn routing capture off or choose another kernel set.");
    }

    /**
     * The form that was asked for.
     *
     * @throws ConfigException when this set cannot serve it.
     */
    public CaptureForm captureForm(final CaptureForm asked)
    {
        if (!serves(asked))
        {
            throw ConfigException.because("The kernel set '" + name + "' does not declare " + asked.capability() +
                    ", which ", new ConfigException.Named("captureForm", asked.name()), " needs")
                .allowed("a form that the kernel set serves").remedy("choose another form or another kernel set");
        }
        return asked;
    }
}
