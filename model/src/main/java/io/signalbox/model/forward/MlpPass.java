// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

/** A dense MLP: {@code down(silu(gate(x)) * up(x))}. */
final class MlpPass
{
    /** Factor of a clamped gate within its sigmoid. */
    private static final float STEEPNESS = 1.702f;

    private final LinearStages linear;
    private float[] inner = new float[0];
    private float[] upper = new float[0];

    MlpPass(final LinearStages linear)
    {
        this.linear = linear;
    }

    /** @param out what the MLP adds to the state of each token. */
    void run(final ForwardModel.Mlp mlp, final float[] in, final int count, final float[] out)
    {
        inner = Buffers.atLeast(inner, count, mlp.width());
        upper = Buffers.atLeast(upper, count, mlp.width());
        linear.runAll(in, count, new Matrix[] {mlp.gate(), mlp.up()}, new float[][] {inner, upper});
        linear.team().run(count, (token, worker) ->
            activate(inner, upper, token * mlp.width(), mlp.width(), linear.precision()));
        linear.run(mlp.down(), inner, count, out);
    }

    /**
     * Replaces each gate by {@code (other + 1) * gate * sigmoid(1.702 * gate)}, with the gate clamped to at most {@code
     * limit} and the other half to its magnitude.
     */
    static void activateClamped(
        final float[] gates, final float[] others, final int at, final int count, final float limit,
        final Precision precision)
    {
        for (int i = at; i < at + count; i++)
        {
            final float gate = Math.min(gates[i], limit);
            final float other = Math.max(-limit, Math.min(others[i], limit));
            final float open = precision.round(FloatMath.sigmoid(precision.round(STEEPNESS * gate)));
            gates[i] = precision.round(precision.round(other + 1.0f) * precision.round(gate * open));
        }
    }

    /** Replaces each gate by its SiLU times the other half. */
    static void activate(
        final float[] gates, final float[] others, final int at, final int count, final Precision precision)
    {
        for (int i = at; i < at + count; i++)
        {
            gates[i] = precision.round(precision.round(FloatMath.silu(gates[i])) * others[i]);
        }
    }
}
