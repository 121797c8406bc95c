// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.kernel.RouterOracle;
import io.signalbox.cuda.kernel.RouterSpec;

/** The expected results of the kernels. */
interface CheckOracle
{
    /** The oracle of the kernels in Java. */
    CheckOracle JAVA = new CheckOracle()
    {
        @Override
        public void route(final RouterSpec spec, final float[] logits, final int[] ids, final float[] weights)
        {
            new RouterOracle(spec).route(logits, ids, weights);
        }

        @Override
        public float[] mix(final RouterSpec spec, final float[] logits, final float[] outputs, final int width)
        {
            return new RouterOracle(spec).mix(logits, outputs, width);
        }
    };

    /** Fills in the ids and weights of one token, {@code topK} of each. */
    void route(RouterSpec spec, float[] logits, int[] ids, float[] weights);

    /** The mixed outputs of one token, {@code width} of them. */
    float[] mix(RouterSpec spec, float[] logits, float[] outputs, int width);
}
