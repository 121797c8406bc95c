// SPDX-License-Identifier: Apache-2.0
// The fast family: products of bf16 weights with bf16 vectors on tensor cores, with sums in float32. Rows of weights are the left
// factor, 16 at a time, vectors the right one, 8 at a time. Every element has one order of sums, whatever the tiling: its
// columns are cut into SEGMENTS; the products of a segment are added 16 columns at a time, then the segments in their order.
// So a token's values depend on nothing else in the step. No #pragma once: tests include it once more in a namespace.

constexpr int TENSOR_WARPS = 4;
constexpr int TENSOR_THREADS = TENSOR_WARPS * WARP_LANES;
/** Blocks at a time on a multiprocessor, as far as registers decide. */
constexpr int TENSOR_BLOCKS = 4;
constexpr int TILE_ROWS = 16;
constexpr int TILE_VECTORS = 8;
constexpr int TILE_COLUMNS = 16;
constexpr int SEGMENTS = 4;
/** The columns of a segment are a multiple, which all chunks divide. */
constexpr int SEGMENT_UNIT = 64;
constexpr int COPY_BYTES = 16;
constexpr int COPY_VALUES = COPY_BYTES / static_cast<int>(sizeof(unsigned short));

/**
 * The part of a product that a block computes at a time, in chunks of columns that wait in shared memory. Warps are side by
 * side in rows and vectors, or each has a segment. A warp has some tiles of rows and some of vectors.
 */
template <int RowWarps, int VectorWarps, int RowTiles, int VectorTiles, int Chunk, int Stages>
struct Tiling
{
    static constexpr int ROW_TILES = RowTiles;
    static constexpr int VECTOR_TILES = VectorTiles;
    static constexpr int VECTOR_WARPS = VectorWarps;
    static constexpr int SIDE_WARPS = RowWarps * VectorWarps;
    /** Segments that are computed at a time. */
    static constexpr int SIDES = TENSOR_WARPS / SIDE_WARPS;
    static constexpr int ROWS = RowWarps * RowTiles * TILE_ROWS;
    static constexpr int VECTORS = VectorWarps * VectorTiles * TILE_VECTORS;
    static constexpr int CHUNK = Chunk;
    static constexpr int STAGES = Stages;
    /** Copies of a row's chunk. */
    static constexpr int PIECES = Chunk / COPY_VALUES;
    /** Copies of each thread for a stage. */
    static constexpr int LEFT_COPIES = SIDES * ROWS * PIECES / TENSOR_THREADS;
    static constexpr int RIGHT_COPIES = SIDES * VECTORS * PIECES / TENSOR_THREADS;
    /** Rows and vectors among them: the same ones come again for the next sides. */
    static constexpr int LEFT_SOURCES = LEFT_COPIES > SIDES ? LEFT_COPIES / SIDES : 1;
    static constexpr int RIGHT_SOURCES = RIGHT_COPIES > SIDES ? RIGHT_COPIES / SIDES : 1;
    static constexpr int LEFT_BYTES = SIDES * ROWS * PIECES * COPY_BYTES;
    static constexpr int STAGE_BYTES = LEFT_BYTES + SIDES * VECTORS * PIECES * COPY_BYTES;
    /** Sums of a lane. */
    static constexpr int SUMS = RowTiles * VectorTiles * 4;
    static constexpr int SHARED_BYTES = Stages * STAGE_BYTES;

    static_assert(SIDES == 1 || SIDES == SEGMENTS, "one order of sums");
    static_assert(SEGMENT_UNIT % Chunk == 0 && Stages >= 2, "a stage is filled while another one is read");
    static_assert(LEFT_COPIES * TENSOR_THREADS == SIDES * ROWS * PIECES, "no thread copies more than others");
    static_assert(RIGHT_COPIES * TENSOR_THREADS == SIDES * VECTORS * PIECES, "no thread copies more than others");
    static_assert(SIDES * SUMS * WARP_LANES * 4 <= SHARED_BYTES, "the sums of all sides meet there");
};

// By the vectors of a tile; Pairs for two matrices whose rows meet in one lane.
using Linear8 = Tiling<1, 1, 1, 1, 64, 4>;
using Linear32 = Tiling<1, 1, 1, 4, 64, 3>;
using Linear64 = Tiling<2, 2, 2, 4, 64, 3>;
using Pairs8 = Tiling<1, 1, 2, 1, 64, 2>;
using Pairs32 = Tiling<1, 1, 4, 4, 32, 2>;
using Pairs64 = Tiling<2, 2, 2, 4, 64, 3>;

/** Which tiles of a block are those of this warp. */
template <typename T>
struct WarpPlace
{
    int side = static_cast<int>(threadIdx.x) / WARP_LANES / T::SIDE_WARPS;
    int row = static_cast<int>(threadIdx.x) / WARP_LANES % T::SIDE_WARPS / T::VECTOR_WARPS * T::ROW_TILES;
    int vector = static_cast<int>(threadIdx.x) / WARP_LANES % T::VECTOR_WARPS * T::VECTOR_TILES;
};

/** The row of sum {@code i} of a lane within a tile, and its vector. */
__device__ inline int sum_row(int i)
{
    return lane_index() / 4 + i / 2 * 8;
}

__device__ inline int sum_vector(int i)
{
    return lane_index() % 4 * 2 + i % 2;
}

/** A row's pieces change places, so that the rows that a warp reads at a time are in different banks. */
template <typename T>
__device__ inline char* row_piece(char* rows, int row, int piece)
{
    const int place = T::PIECES == 8 ? piece ^ (row & 7) : piece ^ (row >> 1 & 3);
    return rows + (row * T::PIECES + place) * COPY_BYTES;
}

template <typename T>
__device__ inline char* left_piece(char* stage, int side, int row, int piece)
{
    return row_piece<T>(stage, side * T::ROWS + row, piece);
}

template <typename T>
__device__ inline char* right_piece(char* stage, int side, int vector, int piece)
{
    return row_piece<T>(stage + T::LEFT_BYTES, side * T::VECTORS + vector, piece);
}

/** The rows and vectors of which this thread copies pieces; null: there is none, its place is filled with zeros. */
template <typename T>
struct Sources
{
    const unsigned short* left[T::LEFT_SOURCES];
    const unsigned short* right[T::RIGHT_SOURCES];
    /** Any memory, which is not read. */
    const void* none;
};

/** Of this thread's copy {@code i}, among those of the block. Unsigned, so that its parts are shifts and masks. */
__device__ inline unsigned copy_index(int i)
{
    return static_cast<unsigned>(i) * TENSOR_THREADS + threadIdx.x;
}

template <typename T, typename Rows, typename Vectors>
__device__ inline Sources<T> sources_of(const void* none, const Rows& rows, const Vectors& vectors)
{
    Sources<T> sources;
    sources.none = none;
#pragma unroll
    for (int i = 0; i < T::LEFT_SOURCES; i++)
    {
        sources.left[i] = rows(static_cast<int>(copy_index(i) / T::PIECES % T::ROWS));
    }
#pragma unroll
    for (int i = 0; i < T::RIGHT_SOURCES; i++)
    {
        sources.right[i] = vectors(static_cast<int>(copy_index(i) / T::PIECES % T::VECTORS));
    }
    return sources;
}

/** Begins to fill a stage with the chunk of each side that starts at {@code first} of its segment. */
template <typename T>
__device__ inline void fill_stage(const Sources<T>& sources, int columns, int segment, int first, char* stage)
{
#pragma unroll
    for (int i = 0; i < T::LEFT_COPIES; i++)
    {
        const int side = static_cast<int>(copy_index(i) / (T::PIECES * T::ROWS));
        const int row = static_cast<int>(copy_index(i) / T::PIECES % T::ROWS);
        const int piece = static_cast<int>(copy_index(i) % T::PIECES);
        const int column = side * segment + first + piece * COPY_VALUES;
        const auto* source = sources.left[i % T::LEFT_SOURCES];
        const bool there = source != nullptr && column < columns;
        copy_async(left_piece<T>(stage, side, row, piece), there ? source + column : sources.none, there);
    }
#pragma unroll
    for (int i = 0; i < T::RIGHT_COPIES; i++)
    {
        const int side = static_cast<int>(copy_index(i) / (T::PIECES * T::VECTORS));
        const int vector = static_cast<int>(copy_index(i) / T::PIECES % T::VECTORS);
        const int piece = static_cast<int>(copy_index(i) % T::PIECES);
        const int column = side * segment + first + piece * COPY_VALUES;
        const auto* source = sources.right[i % T::RIGHT_SOURCES];
        const bool there = source != nullptr && column < columns;
        copy_async(right_piece<T>(stage, side, vector, piece), there ? source + column : sources.none, there);
    }
}

/** Columns 2 * (lane % 4) and the next one after {@code column}, of vector lane / 4 of a tile. */
template <typename T>
__device__ inline unsigned right_pair(char* stage, int side, int tile, int column)
{
    const int vector = tile * TILE_VECTORS + lane_index() / 4;
    const int at = column + lane_index() % 4 * 2;
    return *reinterpret_cast<const unsigned*>(right_piece<T>(stage, side, vector, at / COPY_VALUES) + at % COPY_VALUES * 2);
}

template <typename T>
__device__ inline void multiply_stage(
    char* stage, const WarpPlace<T>& place, float (&sums)[T::ROW_TILES][T::VECTOR_TILES][4])
{
#pragma unroll
    for (int column = 0; column < T::CHUNK; column += TILE_COLUMNS)
    {
        unsigned left[T::ROW_TILES][4];
#pragma unroll
        for (int r = 0; r < T::ROW_TILES; r++)
        {
            const int row = (place.row + r) * TILE_ROWS + lane_index() % TILE_ROWS;
            load_tile(left[r], left_piece<T>(stage, place.side, row, column / COPY_VALUES + lane_index() / TILE_ROWS));
        }
#pragma unroll
        for (int v = 0; v < T::VECTOR_TILES; v++)
        {
            const unsigned right0 = right_pair<T>(stage, place.side, place.vector + v, column);
            const unsigned right1 = right_pair<T>(stage, place.side, place.vector + v, column + TILE_COLUMNS / 2);
#pragma unroll
            for (int r = 0; r < T::ROW_TILES; r++)
            {
                multiply_tile(sums[r][v], left[r], right0, right1);
            }
        }
    }
}

/** Adds a segment's sums, and begins the next one. */
template <typename T>
__device__ inline void end_segment(
    float (&sums)[T::ROW_TILES][T::VECTOR_TILES][4], float (&total)[T::ROW_TILES][T::VECTOR_TILES][4])
{
#pragma unroll
    for (int i = 0; i < T::SUMS; i++)
    {
        float& sum = sums[i / 4 / T::VECTOR_TILES][i / 4 % T::VECTOR_TILES][i % 4];
        float& all = total[i / 4 / T::VECTOR_TILES][i / 4 % T::VECTOR_TILES][i % 4];
        all = __fadd_rn(all, sum);
        sum = 0.0f;
    }
}

/** Brings the sums of all segments to the first warp, through shared memory that has no other use. */
template <typename T>
__device__ inline void gather_segments(
    char* shared, float (&sums)[T::ROW_TILES][T::VECTOR_TILES][4], float (&total)[T::ROW_TILES][T::VECTOR_TILES][4])
{
    float* parts = reinterpret_cast<float*>(shared);
    const int warp = static_cast<int>(threadIdx.x) / WARP_LANES;
#pragma unroll
    for (int i = 0; i < T::SUMS; i++)
    {
        parts[(warp * T::SUMS + i) * WARP_LANES + lane_index()] =
            sums[i / 4 / T::VECTOR_TILES][i / 4 % T::VECTOR_TILES][i % 4];
    }
    __syncthreads();
#pragma unroll 1
    for (int segment = 0; segment < SEGMENTS && warp == 0; segment++)
    {
#pragma unroll
        for (int i = 0; i < T::SUMS; i++)
        {
            sums[i / 4 / T::VECTOR_TILES][i / 4 % T::VECTOR_TILES][i % 4] =
                parts[(segment * T::SUMS + i) * WARP_LANES + lane_index()];
        }
        end_segment<T>(sums, total);
    }
    __syncthreads();
}

/** The products of the sources; only warps of side 0 have them. */
template <typename T>
__device__ inline void products_of(
    const Sources<T>& sources, int columns, char* shared, float (&total)[T::ROW_TILES][T::VECTOR_TILES][4])
{
    const WarpPlace<T> place{};
    const int segment = (columns + SEGMENTS * SEGMENT_UNIT - 1) / (SEGMENTS * SEGMENT_UNIT) * SEGMENT_UNIT;
    const int end = segment * (SEGMENTS / T::SIDES);
    float sums[T::ROW_TILES][T::VECTOR_TILES][4] = {};
#pragma unroll
    for (int i = 0; i < T::SUMS; i++)
    {
        total[i / 4 / T::VECTOR_TILES][i / 4 % T::VECTOR_TILES][i % 4] = 0.0f;
    }
#pragma unroll
    for (int stage = 0; stage < T::STAGES - 1; stage++)
    {
        if (stage * T::CHUNK < end)
        {
            fill_stage<T>(sources, columns, segment, stage * T::CHUNK, shared + stage * T::STAGE_BYTES);
        }
        commit_copies();
    }
    int reading = 0;
    int filling = T::STAGES - 1;
#pragma unroll 1
    for (int first = 0; first < end; first += T::CHUNK)
    {
        await_copies<T::STAGES - 2>();
        // All copies of this stage have landed, and all warps have read the one that is filled now.
        __syncthreads();
        const int ahead = first + (T::STAGES - 1) * T::CHUNK;
        if (ahead < end)
        {
            fill_stage<T>(sources, columns, segment, ahead, shared + filling * T::STAGE_BYTES);
        }
        commit_copies();
        multiply_stage<T>(shared + reading * T::STAGE_BYTES, place, sums);
        reading = reading + 1 == T::STAGES ? 0 : reading + 1;
        filling = filling + 1 == T::STAGES ? 0 : filling + 1;
        if (T::SIDES == 1 && (first + T::CHUNK) % segment == 0)
        {
            end_segment<T>(sums, total);
        }
    }
    __syncthreads();
    if (T::SIDES > 1)
    {
        gather_segments<T>(shared, sums, total);
    }
}

/** Matrices with which the same vectors are multiplied; a matrix without rows is not there. */
constexpr int MATRICES = 3;

struct TensorMatrices
{
    const unsigned short* weights[MATRICES];
    int rows[MATRICES];
    float* out[MATRICES];
};

/** As linear(), on tensor cores. Neighbouring blocks have the same rows for neighbouring vectors. */
template <typename T>
__device__ inline void tensor_linear(
    const TensorMatrices& matrices, int columns, const unsigned short* in, int count, int round)
{
    DYNAMIC_SHARED(uint4, memory);
    const WarpPlace<T> place{};
    const long long tiles = (count + T::VECTORS - 1) / T::VECTORS;
    const long long first0 = tiles * ((matrices.rows[0] + T::ROWS - 1) / T::ROWS);
    const long long first1 = first0 + tiles * ((matrices.rows[1] + T::ROWS - 1) / T::ROWS);
    const long long tasks = first1 + tiles * ((matrices.rows[2] + T::ROWS - 1) / T::ROWS);
#pragma unroll 1
    for (long long index = blockIdx.x; index < tasks; index += gridDim.x)
    {
        const int matrix = index < first0 ? 0 : index < first1 ? 1 : 2;
        const long long task = matrix == 0 ? index : matrix == 1 ? index - first0 : index - first1;
        const unsigned short* weights = matrix == 0 ? matrices.weights[0] : matrix == 1 ? matrices.weights[1] :
            matrices.weights[2];
        const int rows = matrix == 0 ? matrices.rows[0] : matrix == 1 ? matrices.rows[1] : matrices.rows[2];
        float* out = matrix == 0 ? matrices.out[0] : matrix == 1 ? matrices.out[1] : matrices.out[2];
        const int firstRow = static_cast<int>(task / tiles) * T::ROWS;
        const int first = static_cast<int>(task % tiles) * T::VECTORS;
        const Sources<T> sources = sources_of<T>(weights,
            [&](int row) { return firstRow + row < rows ? weights + (firstRow + row) * 1LL * columns : nullptr; },
            [&](int vector) { return first + vector < count ? in + (first + vector) * 1LL * columns : nullptr; });
        float total[T::ROW_TILES][T::VECTOR_TILES][4];
        products_of<T>(sources, columns, reinterpret_cast<char*>(memory), total);
#pragma unroll
        for (int i = 0; i < T::SUMS; i++)
        {
            const int row = firstRow + (place.row + i / 4 / T::VECTOR_TILES) * TILE_ROWS + sum_row(i % 4);
            const int vector = first + (place.vector + i / 4 % T::VECTOR_TILES) * TILE_VECTORS + sum_vector(i % 4);
            if (place.side == 0 && row < rows && vector < count)
            {
                out[static_cast<long long>(vector) * rows + row] =
                    kept(total[i / 4 / T::VECTOR_TILES][i / 4 % T::VECTOR_TILES][i % 4], round);
            }
        }
    }
}

/** As expert_tile(), for tiles of another width, by a whole warp: each lane counts the tiles of some experts. */
__device__ inline ExpertTile warp_expert_tile(const int* starts, int experts, int width, long long index)
{
    long long before = 0;
#pragma unroll 1
    for (int first = 0; first < experts; first += WARP_LANES)
    {
        const int expert = first + lane_index();
        const int count = expert < experts ? starts[expert + 1] - starts[expert] : 0;
        const int own = (count + width - 1) / width;
        int upTo = own;
#pragma unroll
        for (int distance = 1; distance < WARP_LANES; distance *= 2)
        {
            const int added = __shfl_up_sync(ALL_LANES, upTo, distance);
            upTo += lane_index() >= distance ? added : 0;
        }
        const unsigned beyond = __ballot_sync(ALL_LANES, before + upTo > index);
        if (beyond != 0)
        {
            const int found = __ffs(static_cast<int>(beyond)) - 1;
            const int skipped = __shfl_sync(ALL_LANES, upTo - own, found);
            const int begin = starts[first + found] + static_cast<int>(index - before - skipped) * width;
            return {first + found, begin, starts[first + found + 1]};
        }
        before += __shfl_sync(ALL_LANES, upTo, WARP_LANES - 1);
    }
    return {-1, 0, 0};
}

/** As expert_up(), on tensor cores: tiles of gates and of others take turns, so that one lane has both sums. */
template <typename T>
__device__ inline void tensor_expert_up(
    const unsigned short* gates, const unsigned short* others, int experts, int width, int hidden, const int* starts,
    const int* tokens, const unsigned short* in, int round, unsigned short* inner)
{
    static_assert(T::ROW_TILES % 2 == 0, "a tile of each matrix");
    DYNAMIC_SHARED(uint4, memory);
    const WarpPlace<T> place{};
    const int blocks = (width + T::ROWS / 2 - 1) / (T::ROWS / 2);
#pragma unroll 1
    for (long long task = blockIdx.x;; task += gridDim.x)
    {
        const ExpertTile tile = warp_expert_tile(starts, experts, T::VECTORS, task / blocks);
        if (tile.expert < 0)
        {
            return;
        }
        const int firstRow = static_cast<int>(task % blocks) * (T::ROWS / 2);
        const long long matrix = static_cast<long long>(tile.expert) * width;
        const Sources<T> sources = sources_of<T>(gates,
            [&](int row)
            {
                const int own = firstRow + row / (2 * TILE_ROWS) * TILE_ROWS + row % TILE_ROWS;
                const unsigned short* half = row % (2 * TILE_ROWS) < TILE_ROWS ? gates : others;
                return own < width ? half + (matrix + own) * hidden : nullptr;
            },
            [&](int vector)
            {
                const int at = tile.first + vector;
                return at < tile.end ? in + static_cast<long long>(tokens[at]) * hidden : nullptr;
            });
        float total[T::ROW_TILES][T::VECTOR_TILES][4];
        products_of<T>(sources, hidden, reinterpret_cast<char*>(memory), total);
#pragma unroll
        for (int i = 0; i < T::SUMS / 2; i++)
        {
            const int pair = i / 4 / T::VECTOR_TILES;
            const int vector = i / 4 % T::VECTOR_TILES;
            const int row = firstRow + (place.row / 2 + pair) * TILE_ROWS + sum_row(i % 4);
            const int at = tile.first + (place.vector + vector) * TILE_VECTORS + sum_vector(i % 4);
            if (place.side == 0 && row < width && at < tile.end)
            {
                const float activated = kept(silu(kept(total[2 * pair][vector][i % 4], round)), round);
                store(inner + static_cast<long long>(at) * width + row,
                    kept(__fmul_rn(activated, kept(total[2 * pair + 1][vector][i % 4], round)), round));
            }
        }
    }
}

/** As expert_down(), on tensor cores. */
template <typename T>
__device__ inline void tensor_expert_down(
    const unsigned short* weights, int experts, int width, int hidden, const int* starts, const unsigned short* inner,
    int round, float* outputs)
{
    DYNAMIC_SHARED(uint4, memory);
    const WarpPlace<T> place{};
    const int blocks = (hidden + T::ROWS - 1) / T::ROWS;
#pragma unroll 1
    for (long long task = blockIdx.x;; task += gridDim.x)
    {
        const ExpertTile tile = warp_expert_tile(starts, experts, T::VECTORS, task / blocks);
        if (tile.expert < 0)
        {
            return;
        }
        const int firstRow = static_cast<int>(task % blocks) * T::ROWS;
        const unsigned short* matrix = weights + static_cast<long long>(tile.expert) * hidden * width;
        const Sources<T> sources = sources_of<T>(weights,
            [&](int row) { return firstRow + row < hidden ? matrix + (firstRow + row) * 1LL * width : nullptr; },
            [&](int vector)
            {
                const int at = tile.first + vector;
                return at < tile.end ? inner + static_cast<long long>(at) * width : nullptr;
            });
        float total[T::ROW_TILES][T::VECTOR_TILES][4];
        products_of<T>(sources, width, reinterpret_cast<char*>(memory), total);
#pragma unroll
        for (int i = 0; i < T::SUMS; i++)
        {
            const int row = firstRow + (place.row + i / 4 / T::VECTOR_TILES) * TILE_ROWS + sum_row(i % 4);
            const int at = tile.first + (place.vector + i / 4 % T::VECTOR_TILES) * TILE_VECTORS + sum_vector(i % 4);
            if (place.side == 0 && row < hidden && at < tile.end)
            {
                outputs[static_cast<long long>(at) * hidden + row] =
                    kept(total[i / 4 / T::VECTOR_TILES][i / 4 % T::VECTOR_TILES][i % 4], round);
            }
        }
    }
}
