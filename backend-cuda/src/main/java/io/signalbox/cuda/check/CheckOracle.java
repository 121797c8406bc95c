// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.kernel.ExpertRouterOracle;
import io.signalbox.cuda.kernel.ExpertRouterSpec;

/** The expected results of the kernels. */
interface CheckOracle
{
    /** The oracle of the kernels in Java. */
    CheckOracle JAVA = new CheckOracle()
    {
        @Override
        public void route(final ExpertRouterSpec spec, final float[] logits, final int[] ids, final float[] weights)
        {
            new ExpertRouterOracle(spec).route(logits, ids, weights);
        }

        @Override
        public float[] mix(final ExpertRouterSpec spec, final float[] logits, final float[] outputs, final int width)
        {
            return new ExpertRouterOracle(spec).mix(logits, outputs, width);
        }
    };

    /** Fills in the ids and weights of one token, {@code topK} of each. */
    void route(ExpertRouterSpec spec, float[] logits, int[] ids, float[] weights);

    /** The mixed outputs of one token, {@code width} of them. */
    float[] mix(ExpertRouterSpec spec, float[] logits, float[] outputs, int width);
}
