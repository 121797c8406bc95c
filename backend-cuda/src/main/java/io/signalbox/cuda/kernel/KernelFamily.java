// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.ConfigException;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.WeightType;
import io.signalbox.model.forward.ForwardPass;
import io.signalbox.model.forward.Precision;

import java.util.LinkedHashMap;
import java.util.Map;

/** Kernels of one order of sums, which compute a model's products with weights. */
public enum KernelFamily
{
    /** The bits of the forward pass in Java. */
    EXACT(ForwardPass.ORDER_OF_SUMS),
    /**
     * Tensor cores, for weights and values in bf16. A value depends on nothing else in its step; it is not that of Java,
     * since sums have another order.
     */
    FAST("sums on tensor cores in 4 segments, order 1");

    /** Rows are copied by 16 bytes. */
    private static final int COLUMN_UNIT = 8;

    private final String orderOfSums;

    KernelFamily(final String orderOfSums)
    {
        this.orderOfSums = orderOfSums;
    }

    /** Names the order of all operations, for a run description. */
    public String orderOfSums()
    {
        return orderOfSums;
    }

    /** @throws ConfigException if these kernels cannot compute the model. */
    public void check(final DecoderPlan plan, final Precision precision)
    {
        if (this == EXACT)
        {
            return;
        }
        if (plan.type() != WeightType.BF16 || precision != Precision.BF16)
        {
            throw new ConfigException("The fast kernels of the CUDA backend compute in BF16 with weights in BF16, and the " +
                "model has weights in " + plan.type() + " and is computed in " + precision +
                "; choose kernelFamily EXACT, or the precision BF16 for weights that are so.");
        }
        if (plan.attention().biases() || plan.attention().sinks() || plan.experts().isClamped())
        {
            throw new ConfigException("The fast kernels of the CUDA backend have no biases, sinks or clamped experts, " +
                "which the model uses; choose kernelFamily EXACT.");
        }
        final Map<String, Integer> columns = new LinkedHashMap<>();
        columns.put("hidden width", plan.hidden());
        columns.put("attention", plan.attention().outputWidth());
        columns.put("dense layers", plan.denseWidth());
        columns.put("experts", plan.experts().width());
        columns.forEach((what, width) ->
        {
            if (width % COLUMN_UNIT != 0)
            {
                throw new ConfigException("The fast kernels of the CUDA backend need widths that are multiples of " +
                    COLUMN_UNIT + ", and the model's " + what + " has " + width + "; choose kernelFamily EXACT.");
            }
        });
    }
}
