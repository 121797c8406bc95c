// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.CudaDriver.Launch;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.KernelArguments;
import io.signalbox.model.AttentionPlan;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertScoring;
import io.signalbox.model.ExpertsPlan;
import io.signalbox.model.PackedLayout;
import io.signalbox.model.QkNorm;
import io.signalbox.model.WeightType;
import io.signalbox.model.forward.Precision;

import java.util.List;

/**
 * Launches of a decoder's kernels, arguments bound and grid sized for up to so many tokens. docs/cuda.md says what each
 * kernel does.
 */
public final class DecoderLaunches
{
    /** Blocks whose scores attention keeps at a time. */
    public static final int ATTENTION_BLOCKS = 1024;
    private static final int WARP_LANES = 32;
    private static final int THREADS = 256;
    private static final int MAX_BLOCKS = 1024;
    /** Of kernels with a block for each row: blocks wait for their turn at no cost. */
    private static final int ROW_BLOCKS = 1 << 14;
    /** The same of linear layers on tensor cores, of which every block has a task. */
    private static final int LINEAR_BLOCKS = 1 << 14;
    /** Matrices that a launch multiplies with on tensor cores. */
    private static final int MATRICES = 3;
    /** Queries, keys and values. */
    private static final int PLACED_PARTS = 3;
    /** Tokens that a warp multiplies a weight with. */
    private static final int TILE = 4;
    /** Tasks of attention, at most, for the kernel of which a multiprocessor holds one block: each loads more at a time. */
    private static final int LONE_TASKS = 96;
    /** Of which each has enough to do in attention for a warp more. */
    private static final int WARP_POSITIONS = 64;
    /** Of a norm: only its result is rounded. */
    private static final int ROUND_ONCE = 2;
    private static final int MAX_ARGUMENTS = 18;

    private final CudaDriver driver;
    private final CudaDriver.KernelModule module;
    private final StepMemory memory;
    private final DecoderPlan plan;
    private final Precision precision;
    private final KernelFamily family;
    private final int round;

    /** @param family computes all products with weights but the router's, on whose last bits experts may depend. */
    public DecoderLaunches(
        final CudaDriver driver, final CudaDriver.KernelModule module, final StepMemory memory, final DecoderPlan plan,
        final Precision precision, final KernelFamily family)
    {
        family.check(plan, precision);
        this.family = family;
        this.driver = driver;
        this.module = module;
        this.memory = memory;
        this.plan = plan;
        this.precision = precision;
        round = precision == Precision.BF16 ? 1 : 0;
    }

    /** States {@code [n][hidden]} of the tokens' ids; those that only the device knows are read from {@code sampled}. */
    public Launch embed(
        final DeviceMemory weights, final WeightType type, final DeviceMemory sampled, final DeviceMemory states,
        final int tokens)
    {
        return loop(KernelNames.DECODER_EMBED + KernelNames.suffix(type), (long)tokens * plan.hidden(),
            step().pointer(weights).int32(plan.hidden()).pointer(sampled).int32(round).pointer(states));
    }

    /** Adds what a layer gives to the states, and normalises them to {@code out}. */
    public Launch norm(
        final DeviceMemory states, final LayerOutput given, final DeviceMemory weights, final Activations out,
        final int tokens)
    {
        return given.outputs() == null ?
            norm(KernelNames.DECODER_NORM, orNull(step().pointer(states), given.values()), weights, out, tokens) :
            norm(KernelNames.DECODER_EXPERTS_NORM, experts(step().pointer(states), given), weights, out, tokens);
    }

    /** The normalised sums of each entry's last token, {@code [entries][hidden]}; the states stay as they are. */
    public Launch lastNorm(
        final DeviceMemory states, final LayerOutput given, final DeviceMemory weights, final Activations out,
        final int tokens)
    {
        return given.outputs() == null ?
            norm(KernelNames.DECODER_LAST_NORM, step().pointer(states).pointer(given.values()), weights, out, tokens) :
            norm(KernelNames.DECODER_LAST_EXPERTS_NORM, experts(step().pointer(states), given), weights, out, tokens);
    }

    private Launch norm(
        final String kernel, final KernelArguments sums, final DeviceMemory weights, final Activations out, final int tokens)
    {
        return perBlock(kernel, tokens, activations(sums.pointer(weights).int32(plan.hidden())
            .float32((float)plan.normEpsilon()).int32(round != 0 && plan.roundsNormsOnce() ? ROUND_ONCE : round), out));
    }

    private KernelArguments experts(final KernelArguments arguments, final LayerOutput given)
    {
        return orNull(arguments.pointer(given.outputs()).pointer(given.weights()).pointer(given.groups().places())
            .int32(plan.experts().topK()).int32(roundProducts()), given.values());
    }

    /** Linear layers of every token, rounded as the precision says: one launch for all of them on tensor cores. */
    public List<Launch> linear(final List<LinearLayer> layers, final Activations in, final int tokens)
    {
        if (layers.stream().allMatch(layer -> onTensorCores(layer.matrix())))
        {
            return List.of(tensorLinear(layers, in, tokens, 0));
        }
        return layers.stream().map(layer -> product(layer, in, tokens, 0)).toList();
    }

    /** A linear layer of every entry. */
    public Launch entryLinear(final LinearLayer layer, final Activations in, final int tokens)
    {
        return product(layer, in, tokens, 1);
    }

    /** Scores of the experts, by the exact kernels; those that a sigmoid follows are not rounded. */
    public Launch routerLinear(final LinearLayer layer, final Activations in, final int tokens)
    {
        final boolean sigmoid = plan.experts().scoring() == ExpertScoring.SIGMOID_GROUPS;
        return exactLinear(layer, in, tokens, 0, sigmoid ? 0 : round);
    }

    private Launch product(final LinearLayer layer, final Activations in, final int tokens, final int perEntry)
    {
        return onTensorCores(layer.matrix()) ? tensorLinear(List.of(layer), in, tokens, perEntry) :
            exactLinear(layer, in, tokens, perEntry, round);
    }

    private Launch tensorLinear(
        final List<LinearLayer> layers, final Activations in, final int tokens, final int perEntry)
    {
        final TensorTile tile = TensorTile.of(tokens);
        final KernelArguments arguments = step();
        for (int i = 0; i < MATRICES; i++)
        {
            orNull(arguments, i < layers.size() ? layers.get(i).matrix().weights() : null);
        }
        long blocks = 0;
        int allRows = 0;
        for (int i = 0; i < MATRICES; i++)
        {
            final int rows = i < layers.size() ? layers.get(i).matrix().rows() : 0;
            arguments.int32(rows);
            blocks += whole(tokens, tile.vectors()) * whole(rows, tile.rows());
            allRows += rows;
        }
        final DeviceMatrix first = layers.get(0).matrix();
        arguments.matrix(allRows, first.columns(), first.rowBytes());
        arguments.int32(first.columns()).pointer(in.narrow()).int32(perEntry).int32(round);
        for (int i = 0; i < MATRICES; i++)
        {
            orNull(arguments, i < layers.size() ? layers.get(i).out() : null);
        }
        return blocks(tile.kernel(KernelNames.TENSOR_LINEAR), blocks, LINEAR_BLOCKS, tile.linearBytes(), arguments);
    }

    private Launch exactLinear(
        final LinearLayer layer, final Activations in, final int tokens, final int perEntry, final int rounding)
    {
        final DeviceMatrix matrix = layer.matrix();
        final KernelArguments arguments = layout(weights(step(), matrix), matrix);
        if (matrix.bias() != null)
        {
            arguments.pointer(matrix.bias());
        }
        final String kernel = matrix.bias() == null ? KernelNames.DECODER_LINEAR : KernelNames.DECODER_BIASED_LINEAR;
        return warps(kernel + KernelNames.suffix(matrix), whole(tokens, TILE) * matrix.rows(), MAX_BLOCKS, arguments
            .int32(matrix.rows()).int32(matrix.columns()).pointer(in.values()).int32(perEntry).int32(rounding)
            .pointer(layer.out()).matrix(matrix.rows(), matrix.columns(), matrix.rowBytes()));
    }

    private static KernelArguments weights(final KernelArguments arguments, final DeviceMatrix matrix)
    {
        arguments.pointer(matrix.weights());
        return matrix.isPacked() ? arguments.pointer(matrix.scales()) : arguments;
    }

    /** After the weights; a kernel knows the blocks of MXFP4. */
    private static KernelArguments layout(final KernelArguments arguments, final DeviceMatrix matrix)
    {
        final PackedLayout layout = matrix.layout();
        return layout == null || layout.format() == PackedLayout.Format.MXFP4 ? arguments :
            arguments.int32(layout.blockRows()).int32(layout.blockColumns()).int32(layout.firstRow())
                .int32(matrix.type() == WeightType.BF16 ? 1 : 0);
    }

    private boolean onTensorCores(final DeviceMatrix matrix)
    {
        return family == KernelFamily.FAST && matrix.type() == WeightType.BF16 && !matrix.isPacked();
    }

    /**
     * Normalises, clips and turns queries in place, and keys on their way to the block of their position, with the values.
     *
     * @param norms of queries and keys; both are {@code null} if the model has none.
     */
    public Launch place(
        final DeviceMemory queries, final DeviceMemory keys, final DeviceMemory values, final HeadNorms norms,
        final RopeMemory rope, final KvLayer kv, final int tokens)
    {
        final AttentionPlan shape = plan.attention();
        final KernelArguments arguments = step().pointer(queries).pointer(keys).pointer(values);
        orNull(arguments, norms.queries());
        orNull(arguments, norms.keys());
        return perBlock(KernelNames.DECODER_PLACE + cacheSuffix(), PLACED_PARTS * (long)tokens, arguments
            .int32(shape.qkNorm() == QkNorm.PER_HEAD ? 1 : 0).float32((float)plan.normEpsilon())
            .pointer(rope.cosines()).pointer(rope.sines())
            .int32(shape.heads()).int32(shape.kvHeads()).int32(shape.headSize()).int32(kv.blockSize())
            .float32((float)shape.clip()).int32(round).pointer(kv.keys()).pointer(kv.values()));
    }

    /**
     * Attention of a layer.
     *
     * @param sinks  a float32 for each head; {@code null}: none.
     * @param scores a row of {@code maxPositions} float32 for each of {@link #ATTENTION_BLOCKS}.
     */
    public Launch attend(
        final int layer, final DeviceMemory queries, final KvLayer kv, final DeviceMemory sinks, final DeviceMemory scores,
        final int maxPositions, final Activations mixed, final int tokens)
    {
        final AttentionPlan shape = plan.attention();
        final long tasks = (long)tokens * shape.heads();
        final long threads = WARP_LANES * whole(maxPositions, WARP_POSITIONS);
        final KernelArguments arguments = activations(step()
            .pointer(queries).pointer(kv.keys()).pointer(kv.values()).int32(shape.heads()).int32(shape.kvHeads())
            .int32(shape.headSize()).int32(kv.blockSize()).float32(shape.scoreScale()).int32(round).pointer(scores)
            .int32(maxPositions), mixed);
        final String kernel;
        if (shape.window() != null || sinks != null)
        {
            final boolean windowed = shape.window() != null && shape.window().layers().contains(layer);
            orNull(arguments.int32(windowed ? shape.window().positions() : 0), sinks);
            kernel = KernelNames.DECODER_ATTEND_WINDOW + cacheSuffix();
        }
        else
        {
            kernel = precision == Precision.BF16 && tasks <= LONE_TASKS ? KernelNames.DECODER_ATTEND_LONE :
                KernelNames.DECODER_ATTEND + cacheSuffix();
        }
        return driver.prepareLaunch(driver.kernel(module, kernel),
            (int)Math.min(ATTENTION_BLOCKS, tasks), (int)Math.min(THREADS, threads), 0, arguments);
    }

    /** Replaces each gate by its SiLU times the other half. */
    public Launch activate(final Activations gates, final DeviceMemory others, final int width, final int tokens)
    {
        return loop(KernelNames.DECODER_ACTIVATE, (long)tokens * width,
            orNull(step().pointer(gates.values()).pointer(others).int32(width).int32(round), gates.narrow()));
    }

    /** Orders the choices of all tokens by expert; a router's score that is no number fails the step. */
    public Launch group(
        final DeviceMemory ids, final DeviceMemory routerLogits, final int moeLayer, final ExpertGroups groups)
    {
        final boolean sigmoid = plan.experts().scoring() == ExpertScoring.SIGMOID_GROUPS;
        final KernelArguments arguments = step().pointer(ids).int32(plan.experts().topK()).int32(plan.experts().experts())
            .pointer(groups.starts()).pointer(groups.places()).pointer(groups.tokens()).pointer(routerLogits)
            .int32(sigmoid ? 1 : 0).int32(moeLayer).pointer(memory.results()).int64(memory.resultStride());
        return oneBlock(KernelNames.DECODER_GROUP, arguments);
    }

    /** Gates times SiLU of each choice, {@code [place][width]}: in bf16 on tensor cores, otherwise in float32. */
    public Launch expertUp(
        final DeviceExperts experts, final ExpertGroups groups, final Activations in, final DeviceMemory inner,
        final int tokens)
    {
        final ExpertsPlan shape = plan.experts();
        final boolean tensor = onTensorCores(experts.gates());
        final boolean clamped = shape.isClamped();
        final KernelArguments arguments =
            layout(weights(weights(step(), experts.gates()), experts.others()), experts.gates());
        if (clamped)
        {
            arguments.pointer(experts.gates().bias()).pointer(experts.others().bias())
                .float32(kept((float)shape.limit()));
        }
        arguments.int32(shape.experts()).int32(shape.width()).int32(plan.hidden()).pointer(groups.starts())
            .pointer(groups.tokens()).pointer(tensor ? in.narrow() : in.values()).int32(round).pointer(inner);
        if (!tensor)
        {
            final String kernel = clamped ? KernelNames.DECODER_CLAMPED_UP : KernelNames.DECODER_EXPERT_UP;
            return warps(kernel + KernelNames.suffix(experts.gates()),
                expertTiles(tokens, TILE) * shape.width(), MAX_BLOCKS, arguments);
        }
        final TensorTile tile = expertTile(tokens);
        return blocks(tile.kernel(KernelNames.TENSOR_EXPERT_UP),
            expertTiles(tokens, tile.vectors()) * whole(shape.width(), tile.pairRows()), MAX_BLOCKS,
            tile.pairsBytes(), arguments);
    }

    /** Outputs of each choice, {@code [place][hidden]}. */
    public Launch expertDown(
        final DeviceExperts experts, final ExpertGroups groups, final DeviceMemory inner, final DeviceMemory outputs,
        final int tokens)
    {
        final ExpertsPlan shape = plan.experts();
        final KernelArguments arguments = layout(weights(step(), experts.downs()), experts.downs());
        if (shape.isClamped())
        {
            arguments.pointer(experts.downs().bias());
        }
        arguments.int32(shape.experts()).int32(shape.width()).int32(plan.hidden()).pointer(groups.starts())
            .pointer(inner).int32(round).pointer(outputs);
        if (!onTensorCores(experts.downs()))
        {
            final String kernel =
                shape.isClamped() ? KernelNames.DECODER_CLAMPED_DOWN : KernelNames.DECODER_EXPERT_DOWN;
            return warps(kernel + KernelNames.suffix(experts.downs()),
                expertTiles(tokens, TILE) * plan.hidden(), MAX_BLOCKS, arguments);
        }
        final TensorTile tile = expertTile(tokens);
        return blocks(tile.kernel(KernelNames.TENSOR_EXPERT_DOWN),
            expertTiles(tokens, tile.vectors()) * whole(plan.hidden(), tile.rows()), MAX_BLOCKS,
            tile.linearBytes(), arguments);
    }

    /** Keeps the combine weights of all layers for the step's result. */
    public Launch keepWeights(final DeviceMemory weights, final int tokens)
    {
        final int layers = plan.moeLayers().size();
        final int topK = plan.experts().topK();
        return loop(KernelNames.DECODER_KEEP_WEIGHTS, (long)layers * tokens * topK,
            step().pointer(weights).int32(layers).int32(memory.maxTokens()).int32(topK).int32(roundProducts())
                .pointer(memory.weights()).int64(memory.slotStride()));
    }

    private float kept(final float value)
    {
        return precision == Precision.BF16 ? WeightType.bf16(WeightType.toBf16(value)) : value;
    }

    private int roundProducts()
    {
        return plan.experts().roundsWeights() ? round : 0;
    }

    /** Samples the token of each entry, to the result slot and to {@code sampled}, {@code [slot][maxTokens]}. */
    public Launch sample(final DeviceMemory logits, final DeviceMemory sampled, final int tokens)
    {
        return warps(KernelNames.DECODER_SAMPLE, (long)tokens * THREADS / WARP_LANES, MAX_BLOCKS, step().pointer(logits)
            .int32(plan.vocabulary()).pointer(sampled).int32(memory.maxTokens()).pointer(memory.results())
            .int64(memory.resultStride()));
    }

    /** Gives entries that continue former steps their positions and tokens; both are {@code [slot][maxTokens]}. */
    public Launch bind(final DeviceMemory sampled, final DeviceMemory starts)
    {
        return oneBlock(KernelNames.DECODER_BIND, step().pointer(sampled).pointer(starts));
    }

    /** Rejects what follows the first wrong draft token of each entry, and leaves the rest to entries that continue it. */
    public Launch accept(final DeviceMemory sampled, final DeviceMemory starts)
    {
        return oneBlock(KernelNames.DECODER_ACCEPT, step().pointer(sampled).pointer(starts).int32(memory.maxTokens())
            .pointer(memory.results()).int64(memory.resultStride()));
    }

    private Launch oneBlock(final String kernel, final KernelArguments arguments)
    {
        return driver.prepareLaunch(driver.kernel(module, kernel), 1, THREADS, 0, arguments);
    }

    private KernelArguments step()
    {
        return new KernelArguments(MAX_ARGUMENTS).pointer(memory.step());
    }

    private static KernelArguments orNull(final KernelArguments arguments, final DeviceMemory memory)
    {
        return memory == null ? arguments.nullPointer() : arguments.pointer(memory);
    }

    private static KernelArguments activations(final KernelArguments arguments, final Activations memory)
    {
        return orNull(arguments.pointer(memory.values()), memory.narrow());
    }

    /** Keys and values that are rounded to bf16 are stored so. */
    private String cacheSuffix()
    {
        return precision == Precision.BF16 ? "bf16" : "fp32";
    }

    /** How many parts of a size hold so many. */
    private static long whole(final long count, final int size)
    {
        return (count + size - 1) / size;
    }

    /** For a third more than the mean number of an expert's tokens: a second tile reads the expert's weights again. */
    private TensorTile expertTile(final int tokens)
    {
        return TensorTile.of(whole(4L * tokens * plan.experts().topK(), 3 * plan.experts().experts()));
    }

    /** At most one tile per choice, and one that is not full per expert. */
    private long expertTiles(final int tokens, final int size)
    {
        final long choices = (long)tokens * plan.experts().topK();
        return Math.min(choices, choices / size + plan.experts().experts());
    }

    private Launch blocks(
        final String kernel, final long blocks, final int most, final int sharedBytes, final KernelArguments arguments)
    {
        return driver.prepareLaunch(driver.kernel(module, kernel), (int)Math.max(1, Math.min(most, blocks)),
            TensorTile.THREADS, sharedBytes, arguments);
    }

    /** A block for each of so many rows. */
    private Launch perBlock(final String kernel, final long rows, final KernelArguments arguments)
    {
        return driver.prepareLaunch(
            driver.kernel(module, kernel), (int)Math.max(1, Math.min(ROW_BLOCKS, rows)), THREADS, 0, arguments);
    }

    private Launch warps(final String kernel, final long warps, final int most, final KernelArguments arguments)
    {
        final long blocks = whole(warps * WARP_LANES, THREADS);
        return driver.prepareLaunch(
            driver.kernel(module, kernel), (int)Math.max(1, Math.min(most, blocks)), THREADS, 0, arguments);
    }

    private Launch loop(final String kernel, final long threads, final KernelArguments arguments)
    {
        return warps(kernel, (threads + WARP_LANES - 1) / WARP_LANES, MAX_BLOCKS, arguments);
    }
}
