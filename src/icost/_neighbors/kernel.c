/* Exact nearest neighbours by brute force: the screen that icost/_neighbors/kernel.py loads.

   For a block of queries this finds every point that may be among a query's n nearest, ties
   included. It proposes, and never decides: the distances by which Python applies the tie rule are
   computed there. A point proposed in excess costs time; one missed would be an error, and the
   comments below say why none is.

   The way of a pair through the code:

     tile      48 points meet 8 queries in registers: float32 (or int8) products, compared with a
               level for each query. All but a few pairs end here.
     measure   a pair that passes gets its distance in double precision, by direct difference.
     keep      one within reach is kept, and tightens the reach, hence the level, of its query.

   The reach of a query is the n-th least squared distance seen so far, widened by the margin of
   ties. The n-th of some points is no nearer than that of all, so a reach is never too short, and
   what it drops can be neither one of the n nearest nor tied with them.

   All scratch belongs to one call, so that threads may search one index at the same time. */

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Each variant is compiled for its own instructions, and the rest for any processor. On
   Windows, gcc does not align wide registers on the stack: https://gcc.gnu.org/PR54412. */
#if defined(__x86_64__) && (defined(__clang__) || !defined(_WIN32))
#define HAS_X86
#include <immintrin.h>
#define TARGET(name) __attribute__((target(name)))
#endif

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT
#endif

#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

/* Inlined twice over, the parts of a tile would run out of registers. */
#define NOT_INLINE __attribute__((noinline))

/* Raised whenever a struct or a signature below changes: a library left over from older sources is
   then refused instead of crashing. */
#define INTERFACE 2

/* Eight queries by 48 points are 24 registers of AVX-512, which leaves eight for the operands. */
#define PANEL 48
#define GROUP 8

/* Squared distances below this are at the end of the range of double precision, where rounding is
   no longer relative. They are all within reach. */
#define TINY 1e-300

/* What underflow in single precision may take from a product, in units of the spread: each of some
   thousand terms loses less than 2e-38, even if the processor flushes small numbers to zero. */
#define LOST_TO_ZERO 1e-30

/* Queries farther out than this (squared, in units of the spread) could overflow. */
#define FAR_OUT 1e30

enum { PORTABLE, AVX2, AVX512, VNNI };
enum { DONE, TOO_MANY, BLIND, NO_MEMORY };

/* The points, packed. A panel holds 48 of them in rows of 48 words of 32 bits: first a row with
   what completes the products, then a row for each step. A step is one feature as a float, or
   four as bytes. Queries are packed alike in groups of eight, without the first row. */
typedef struct {
    int64_t n_points, n_features;
    const void *rows;     /* the points as they are, row after row ... */
    int64_t is_single;    /* ... in single, or else in double precision */
    const int64_t *order; /* the row at each position in the panels */
    const double *centre;
    int64_t is_bytes;
    double unit;          /* floats: coordinates are multiplied by it, bytes: divided */
    double error;         /* floats: see float_level; bytes: greatest error of a point, set here */
    uint32_t *panels;
} Index;

typedef struct {
    double distance;
    int64_t query, position;
} Hit;

typedef struct {
    Hit *list;
    int64_t n_hits, capacity;
    int64_t n_measured, n_near; /* pairs that passed the screen, and were within reach */
} Answer;

/* The squared distance of a query from a row of the points, of either precision. */
typedef double Squares(const double *q, const void *row, int64_t d);

typedef struct {
    const Index *index;
    Squares *squares;
    const double *queries;
    int64_t n_queries, n_nearest, limit;
    double margin;
    uint32_t *groups;       /* the queries, packed */
    uint32_t *levels;       /* what a product must reach: floats, or signed numbers */
    double *bases, *errors; /* what the level of a query is computed from */
    double *heaps;          /* the n least distances of each query, the greatest of them first */
    Answer *answer;
} Search;

static int64_t n_steps(const Index *index)
{
    return index->is_bytes ? (index->n_features + 3) / 4 : index->n_features;
}

/* ---- Distances, by direct difference --------------------------------------------------------- */

/* The sums are in another order than NumPy's, hence differ from them by some 1e-16 for each
   feature, relatively: nothing beside the margin of ties, 4e-9, of which the tie rule needs a
   half. */
#define DEFINE_SQUARES(NAME, NUMBER)                                                               \
    static double NAME(const double *q, const void *row, int64_t d)                                \
    {                                                                                              \
        const NUMBER *x = row;                                                                     \
        double sum[4] = {0, 0, 0, 0};                                                              \
        int64_t j = 0;                                                                             \
        for (; j + 4 <= d; j += 4)                                                                 \
            for (int l = 0; l < 4; l++) {                                                          \
                double e = q[j + l] - (double)x[j + l];                                            \
                sum[l] += e * e;                                                                   \
            }                                                                                      \
        for (; j < d; j++) {                                                                       \
            double e = q[j] - (double)x[j];                                                        \
            sum[0] += e * e;                                                                       \
        }                                                                                          \
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);                                              \
    }

DEFINE_SQUARES(squares_double, double)
DEFINE_SQUARES(squares_single, float)

#ifdef HAS_X86

/* Of eight numbers, those that are there; zeros in the place of the others. */
TARGET("avx512f")
static inline __m512d load_doubles(__mmask8 there, const double *x)
{
    return _mm512_maskz_loadu_pd(there, x);
}

TARGET("avx512f")
static inline __m512d load_singles(__mmask8 there, const float *x)
{
    return _mm512_cvtps_pd(_mm512_castps512_ps256(_mm512_maskz_loadu_ps(there, x)));
}

static inline uint8_t first_lanes(int64_t n)
{
    return n < 8 ? (uint8_t)((1 << n) - 1) : 0xff;
}

/* Two sums of eight lanes, as one alone would wait for each addition to end. */
#define DEFINE_WIDE_SQUARES(NAME, NUMBER, LOAD)                                                    \
    TARGET("avx512f")                                                                              \
    static double NAME(const double *q, const void *row, int64_t d)                                \
    {                                                                                              \
        const NUMBER *x = row;                                                                     \
        __m512d sum[2] = {_mm512_setzero_pd(), _mm512_setzero_pd()};                               \
        int64_t j = 0;                                                                             \
        for (; j + 16 <= d; j += 16)                                                               \
            UNROLL for (int l = 0; l < 2; l++) {                                                   \
                int64_t at = j + 8 * l;                                                            \
                __m512d e = _mm512_sub_pd(load_doubles(0xff, q + at), LOAD(0xff, x + at));         \
                sum[l] = _mm512_fmadd_pd(e, e, sum[l]);                                            \
            }                                                                                      \
        for (; j < d; j += 8) {                                                                    \
            __mmask8 there = first_lanes(d - j);                                                   \
            __m512d e = _mm512_sub_pd(load_doubles(there, q + j), LOAD(there, x + j));             \
            sum[0] = _mm512_fmadd_pd(e, e, sum[0]);                                                \
        }                                                                                          \
        return _mm512_reduce_add_pd(_mm512_add_pd(sum[0], sum[1]));                                \
    }

DEFINE_WIDE_SQUARES(wide_squares_double, double, load_doubles)
DEFINE_WIDE_SQUARES(wide_squares_single, float, load_singles)

#endif

static Squares *squares_of(const Index *index, int64_t variant)
{
#ifdef HAS_X86
    /* For fewer features, adding up the lanes takes longer than what they save. */
    if (variant >= AVX512 && index->n_features >= 16)
        return index->is_single ? wide_squares_single : wide_squares_double;
#endif
    (void)variant;
    return index->is_single ? squares_single : squares_double;
}

/* The row at a position in the panels. */
static const void *row_at(const Index *index, int64_t position)
{
    int64_t at = index->order[position] * index->n_features;
    return index->is_single ? (const void *)((const float *)index->rows + at)
                            : (const void *)((const double *)index->rows + at);
}

static double measure(const Search *s, int64_t query, int64_t position)
{
    int64_t d = s->index->n_features;
    return s->squares(s->queries + query * d, row_at(s->index, position), d);
}

/* ---- Packing --------------------------------------------------------------------------------- */

/* Rounding errors are relative to the distance from the centre: the nearer, the sharper. */
static void centre_row(const Index *index, const void *row, int64_t is_single, double *y)
{
    for (int64_t j = 0; j < index->n_features; j++) {
        double x = is_single ? (double)((const float *)row)[j] : ((const double *)row)[j];
        y[j] = x - index->centre[j];
    }
}

/* Write one column of floats; return the squared norm of what was written, since it is the product
   of the rounded numbers that norms complete. */
static double write_floats(const double *y, int64_t d, double scale, uint32_t *column, int width)
{
    double norm = 0;
    for (int64_t j = 0; j < d; j++) {
        float word = (float)(y[j] * scale);
        memcpy(column + j * width, &word, sizeof word);
        norm += (double)word * word;
    }
    return norm;
}

typedef struct {
    int64_t square, sum;
    double error;
} Bytes;

#ifdef HAS_X86

/* Eight whole numbers and eight zeros: all sixteen have what eight alone lack. */
TARGET("avx512f")
static inline __m512i with_zeros(__m256i z)
{
    return _mm512_inserti64x4(_mm512_setzero_si512(), z, 0);
}

/* Write one column of bytes: whole numbers z from -127 to 127, each plus an offset, with
   y = step * z + r for the centred row y. Return |z|^2, the sum of z, and |r| rounded up. Which z
   is taken is a matter of sharpness alone, as r tells what is left. */
TARGET("avx512f")
static Bytes write_bytes(const Index *index, const void *row, int64_t is_single, int offset,
                         uint32_t *column, int width)
{
    int64_t d = index->n_features;
    const float *singles = row;
    const double *doubles = row;
    __m512d inverse = _mm512_set1_pd(1 / index->unit), step = _mm512_set1_pd(index->unit);
    __m512d least = _mm512_set1_pd(-127), most = _mm512_set1_pd(127);
    __m512d rests = _mm512_setzero_pd(), sizes = _mm512_setzero_pd();
    __m256i offsets = _mm256_set1_epi32(offset);
    __m256i squares = _mm256_setzero_si256(), sums = _mm256_setzero_si256();
    for (int64_t j = 0; j < d; j += 8, column += 2 * width) {
        __mmask8 there = first_lanes(d - j);
        __m512d x = is_single ? load_singles(there, singles + j) : load_doubles(there, doubles + j);
        __m512d y = _mm512_sub_pd(x, load_doubles(there, index->centre + j));
        __m512d v = _mm512_min_pd(_mm512_max_pd(_mm512_mul_pd(y, inverse), least), most);
        __m256i z = _mm512_cvtpd_epi32(v);
        __m512d r = _mm512_fnmadd_pd(step, _mm512_cvtepi32_pd(z), y);
        __m512i shifted = with_zeros(_mm256_add_epi32(z, offsets));
        uint64_t bytes = (uint64_t)_mm_cvtsi128_si64(_mm512_cvtepi32_epi8(shifted));
        column[0] = (uint32_t)bytes;
        if (d - j > 4)
            column[width] = (uint32_t)(bytes >> 32);
        squares = _mm256_add_epi32(squares, _mm256_mullo_epi32(z, z));
        sums = _mm256_add_epi32(sums, z);
        rests = _mm512_fmadd_pd(r, r, rests);
        sizes = _mm512_fmadd_pd(y, y, sizes);
    }
    /* Centring and the rounding of r err by less than 1e-15 of the coordinates, the sum of d
       squares by d * 2e-16 of itself: far less than what is added here. */
    double rest = sqrt(_mm512_reduce_add_pd(rests)), size = sqrt(_mm512_reduce_add_pd(sizes));
    return (Bytes){
        .square = _mm512_reduce_add_epi32(with_zeros(squares)),
        .sum = _mm512_reduce_add_epi32(with_zeros(sums)),
        .error = (rest + 1e-14 * size) * (1 + 1e-10) + sqrt(TINY),
    };
}

#else

/* Only a variant that is not here has use for bytes. */
static Bytes write_bytes(const Index *index, const void *row, int64_t is_single, int offset,
                         uint32_t *column, int width)
{
    (void)index, (void)row, (void)is_single, (void)offset, (void)column, (void)width;
    return (Bytes){0, 0, INFINITY};
}

#endif

/* Fill in an order that is as good as random, and always the same: the numbers from 0 to n - 1 are
   dealt by the generator "splitmix64". Which number it gives matters for the speed alone. */
EXPORT void icost_kernel_shuffle(int64_t *order, int64_t n)
{
    uint64_t state = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = state += 0x9e3779b97f4a7c15;
        bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
        bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
        bits ^= bits >> 31;
        /* A place among the first i + 1, to which one number moves on: by a product rather than a
           remainder, which is slow. */
        int64_t place = (int64_t)((bits >> 32) * (uint64_t)(i + 1) >> 32);
        order[i] = order[place];
        order[place] = i;
    }
}

/* Room for one centred row. */
static double *make_row(const Index *index)
{
    return malloc((size_t)index->n_features * sizeof(double));
}

/* Fill the panels; for bytes, also the greatest error of a point. */
EXPORT int icost_kernel_pack(Index *index)
{
    int64_t steps = n_steps(index), d = index->n_features;
    double *y = make_row(index);
    if (!y)
        return NO_MEMORY;
    if (index->is_bytes)
        index->error = 0;
    for (int64_t position = 0; position < index->n_points; position++) {
        uint32_t *panel = index->panels + position / PANEL * (steps + 1) * PANEL;
        uint32_t *column = panel + position % PANEL;
        const void *row = row_at(index, position);
        if (index->is_bytes) {
            Bytes told = write_bytes(index, row, index->is_single, 128, column + PANEL, PANEL);
            int32_t complement = (int32_t)-(told.square / 2);
            memcpy(column, &complement, sizeof complement);
            index->error = told.error > index->error ? told.error : index->error;
        } else {
            centre_row(index, row, index->is_single, y);
            double norm = write_floats(y, d, index->unit, column + PANEL, PANEL);
            float complement = (float)(-(1 - index->error) / 2 * norm);
            memcpy(column, &complement, sizeof complement);
        }
    }
    free(y);
    return DONE;
}

static void pack_query(Search *s, int64_t q, double *y)
{
    const Index *index = s->index;
    int64_t steps = n_steps(index), d = index->n_features;
    uint32_t *column = s->groups + q / GROUP * steps * GROUP + q % GROUP;
    const double *row = s->queries + q * d;
    if (index->is_bytes) {
        Bytes told = write_bytes(index, row, 0, 0, column, GROUP);
        s->bases[q] = (double)told.square / 2 + 128 * (double)told.sum;
        s->errors[q] = told.error;
        return;
    }
    centre_row(index, row, 0, y);
    double norm = 0;
    for (int64_t j = 0; j < d; j++)
        norm += y[j] * index->unit * y[j] * index->unit;
    if (norm < FAR_OUT) {
        norm = write_floats(y, d, index->unit, column, GROUP);
        s->bases[q] = (1 - index->error) * norm;
    } else {
        /* Its column stays zero, so that nothing overflows, and its level lets every point
           pass. */
        s->bases[q] = -INFINITY;
    }
}

/* ---- Levels: the least product that a point within reach can have ---------------------------- */

static double reach_of(const Search *s, int64_t q)
{
    return s->heaps[q * s->n_nearest] * s->margin + TINY;
}

/* Floats. As q.x - |x|^2/2 = (|q|^2 - |q - x|^2) / 2, "x is within the distance r of q" reads
   "the product is at least (|q|^2 - r^2) / 2". Let u be 2^-24, the largest relative error of
   one rounding, and d the number of features. The product is not exact, since

   - it starts from -|x|^2/2 and adds d terms q_j x_j one after the other. No term takes part in
     more than d + 1 roundings (d with fused multiply-add, which rounds once for product and
     sum), so that the result errs by at most (d + 1) u (|q||x| + |x|^2/2), that is by
     (d + 1) u (|q|^2 + |x|^2), whatever the order of the terms;
   - q and x were rounded to single precision, each by at most u of its length, so that
     |q - x|^2 / 2 errs by at most u (|q| + |x|)^2, that is by 2 u (|q|^2 + |x|^2);
   - -|x|^2/2 was rounded, by u |x|^2/2.

   Together that is less than (d + 8) u (|q|^2 + |x|^2). What is left of it, and ten percent
   more, cover products of errors and the rounding of norms and centred coordinates, which are
   computed in double precision. The slack, 1.1 (2 d + 16) u, is twice that: its |x|^2 is
   granted in the first row of the panels, as -(1 - slack)/2 |x|^2, and its |q|^2 here, as
   (1 - slack)/2 |q|^2. */
static float float_level(const Search *s, int64_t q)
{
    double unit = s->index->unit;
    double level = (s->bases[q] - reach_of(s, q) * unit * unit) / 2 - LOST_TO_ZERO;
    /* Nor must the level itself be rounded up. */
    return level < -FLT_MAX ? -INFINITY : nextafterf((float)level, -INFINITY);
}

/* Bytes. With x = centre + step * z + e for every point, and w and f for z and e of the query,
   step * |z - w| is at most |x - q| + |e| + |f|, by the triangle inequality. So a point within the
   distance r has |z - w|^2 <= t = ((r + |e| + |f|) / step)^2, or, as whole numbers,

       z.w - |z|^2/2 >= (|w|^2 - t) / 2.

   The instruction multiplies unsigned bytes by signed ones, so that 128 is added to every z, and
   128 * sum(w) to both sides. The sums are exact: they stay below 2^31 for up to 32,768 features.
   -|z|^2/2 is rounded up in the panels, and the level down. */
static int32_t byte_level(const Search *s, int64_t q)
{
    const Index *index = s->index;
    double r = (sqrt(reach_of(s, q)) + index->error + s->errors[q]) / index->unit;
    double level = floor(s->bases[q] - r * r / 2 * (1 + 1e-12) - 1);
    return level > INT32_MIN ? (int32_t)level : INT32_MIN;
}

static void set_level(Search *s, int64_t q)
{
    if (s->index->is_bytes)
        ((int32_t *)s->levels)[q] = byte_level(s, q);
    else
        ((float *)s->levels)[q] = float_level(s, q);
}

/* Queries that only fill up the last group: nothing reaches their level. */
static void close_level(Search *s, int64_t q)
{
    if (s->index->is_bytes)
        ((int32_t *)s->levels)[q] = INT32_MAX;
    else
        ((float *)s->levels)[q] = INFINITY;
}

/* ---- Tiles: 48 points by 8 queries ----------------------------------------------------------- */

/* A tile returns 0 if no pair passes, which is nearly always, and otherwise fills a mask of 48
   bits for each of its queries. Its sums must stay in registers: hence the loops that are
   unrolled, and `do`, since a loop that might not run at all makes gcc keep a second copy. No
   sum is NaN: points are within 1 of the centre along each axis, in units of the spread, and
   queries not too far out. */
typedef int Tile(const uint32_t *panel, const uint32_t *group, const uint32_t *levels,
                 int64_t steps, uint64_t *masks);

/* Vectors of four floats, which gcc and clang know on every processor. Parts of 2 queries by 24
   points are twelve sums, for processors with sixteen registers. */
typedef float Four __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t FourBits __attribute__((vector_size(16)));

NOT_INLINE static int portable_part(const float *panel, const float *group, const float *levels,
                         int64_t steps, uint64_t *masks, int shift)
{
    Four sum[2][6];
    FourBits any = {0, 0, 0, 0};
    UNROLL for (int i = 0; i < 2; i++)
        UNROLL for (int v = 0; v < 6; v++)
            sum[i][v] = *(const Four *)(panel + 4 * v);
    do {
        panel += PANEL;
        UNROLL for (int v = 0; v < 6; v++) {
            Four x = *(const Four *)(panel + 4 * v);
            sum[0][v] += x * group[0];
            sum[1][v] += x * group[1];
        }
        group += GROUP;
    } while (--steps);
    UNROLL for (int i = 0; i < 2; i++)
        UNROLL for (int v = 0; v < 6; v++)
            any |= sum[i][v] >= levels[i];
    if (!(any[0] | any[1] | any[2] | any[3]))
        return 0;
    UNROLL for (int i = 0; i < 2; i++)
        UNROLL for (int v = 0; v < 6; v++)
            UNROLL for (int l = 0; l < 4; l++)
                masks[i] |= (uint64_t)(sum[i][v][l] >= levels[i]) << (shift + 4 * v + l);
    return 1;
}

static int tile_portable(const uint32_t *panel, const uint32_t *group, const uint32_t *levels,
                         int64_t steps, uint64_t *masks)
{
    int passed = 0;
    memset(masks, 0, GROUP * sizeof *masks);
    for (int i = 0; i < GROUP; i += 2)
        for (int shift = 0; shift < PANEL; shift += 24)
            passed |= portable_part((const float *)panel + shift, (const float *)group + i,
                                    (const float *)levels + i, steps, masks + i, shift);
    return passed;
}

#ifdef HAS_X86

/* Parts of 4 queries by 24 points: twelve sums, three vectors of points and one of a query. */
TARGET("avx2,fma")
NOT_INLINE static int avx2_part(const float *panel, const float *group, const float *levels, int64_t steps,
                     uint64_t *masks, int shift)
{
    __m256 sum[4][3], any = _mm256_setzero_ps();
    UNROLL for (int i = 0; i < 4; i++)
        UNROLL for (int v = 0; v < 3; v++)
            sum[i][v] = _mm256_loadu_ps(panel + 8 * v);
    do {
        panel += PANEL;
        __m256 x0 = _mm256_loadu_ps(panel), x1 = _mm256_loadu_ps(panel + 8);
        __m256 x2 = _mm256_loadu_ps(panel + 16);
        UNROLL for (int i = 0; i < 4; i++) {
            __m256 q = _mm256_broadcast_ss(group + i);
            sum[i][0] = _mm256_fmadd_ps(q, x0, sum[i][0]);
            sum[i][1] = _mm256_fmadd_ps(q, x1, sum[i][1]);
            sum[i][2] = _mm256_fmadd_ps(q, x2, sum[i][2]);
        }
        group += GROUP;
    } while (--steps);
    UNROLL for (int i = 0; i < 4; i++) {
        __m256 best = _mm256_max_ps(_mm256_max_ps(sum[i][0], sum[i][1]), sum[i][2]);
        __m256 level = _mm256_broadcast_ss(levels + i);
        any = _mm256_or_ps(any, _mm256_cmp_ps(best, level, _CMP_GE_OQ));
    }
    if (!_mm256_movemask_ps(any))
        return 0;
    UNROLL for (int i = 0; i < 4; i++)
        UNROLL for (int v = 0; v < 3; v++) {
            __m256 level = _mm256_broadcast_ss(levels + i);
            int bits = _mm256_movemask_ps(_mm256_cmp_ps(sum[i][v], level, _CMP_GE_OQ));
            masks[i] |= (uint64_t)bits << (shift + 8 * v);
        }
    return 1;
}

TARGET("avx2,fma")
static int tile_avx2(const uint32_t *panel, const uint32_t *group, const uint32_t *levels,
                     int64_t steps, uint64_t *masks)
{
    int passed = 0;
    memset(masks, 0, GROUP * sizeof *masks);
    for (int i = 0; i < GROUP; i += 4)
        for (int shift = 0; shift < PANEL; shift += 24)
            passed |= avx2_part((const float *)panel + shift, (const float *)group + i,
                                (const float *)levels + i, steps, masks + i, shift);
    return passed;
}

TARGET("avx512f")
static int tile_avx512(const uint32_t *panel, const uint32_t *group, const uint32_t *levels,
                       int64_t steps, uint64_t *masks)
{
    const float *x = (const float *)panel, *q = (const float *)group;
    const float *least = (const float *)levels;
    __m512 sum[GROUP][3];
    __mmask16 any = 0;
    UNROLL for (int i = 0; i < GROUP; i++)
        UNROLL for (int v = 0; v < 3; v++)
            sum[i][v] = _mm512_loadu_ps(x + 16 * v);
    do {
        x += PANEL;
        __m512 x0 = _mm512_loadu_ps(x), x1 = _mm512_loadu_ps(x + 16);
        __m512 x2 = _mm512_loadu_ps(x + 32);
        UNROLL for (int i = 0; i < GROUP; i++) {
            __m512 y = _mm512_set1_ps(q[i]);
            sum[i][0] = _mm512_fmadd_ps(y, x0, sum[i][0]);
            sum[i][1] = _mm512_fmadd_ps(y, x1, sum[i][1]);
            sum[i][2] = _mm512_fmadd_ps(y, x2, sum[i][2]);
        }
        q += GROUP;
    } while (--steps);
    UNROLL for (int i = 0; i < GROUP; i++) {
        __m512 best = _mm512_max_ps(_mm512_max_ps(sum[i][0], sum[i][1]), sum[i][2]);
        any |= _mm512_cmp_ps_mask(best, _mm512_set1_ps(least[i]), _CMP_GE_OQ);
    }
    if (!any)
        return 0;
    UNROLL for (int i = 0; i < GROUP; i++) {
        __m512 level = _mm512_set1_ps(least[i]);
        masks[i] = (uint64_t)_mm512_cmp_ps_mask(sum[i][0], level, _CMP_GE_OQ) |
                   (uint64_t)_mm512_cmp_ps_mask(sum[i][1], level, _CMP_GE_OQ) << 16 |
                   (uint64_t)_mm512_cmp_ps_mask(sum[i][2], level, _CMP_GE_OQ) << 32;
    }
    return 1;
}

/* Add four products of bytes to each of sixteen sums. Told that the sum may be changed
   afterwards, gcc leaves it where it is; otherwise it would copy it to the stack and back, at
   half the speed. */
TARGET("avx512f,avx512vnni")
static inline __m512i add_products(__m512i sum, __m512i x, __m512i y)
{
    sum = _mm512_dpbusd_epi32(sum, x, y);
    __asm__("" : "+v"(sum));
    return sum;
}

TARGET("avx512f,avx512vnni")
static int tile_vnni(const uint32_t *panel, const uint32_t *group, const uint32_t *levels,
                     int64_t steps, uint64_t *masks)
{
    __m512i sum[GROUP][3];
    __mmask16 any = 0;
    UNROLL for (int i = 0; i < GROUP; i++)
        UNROLL for (int v = 0; v < 3; v++)
            sum[i][v] = _mm512_loadu_si512(panel + 16 * v);
    do {
        panel += PANEL;
        __m512i x0 = _mm512_loadu_si512(panel), x1 = _mm512_loadu_si512(panel + 16);
        __m512i x2 = _mm512_loadu_si512(panel + 32);
        UNROLL for (int i = 0; i < GROUP; i++) {
            __m512i y = _mm512_set1_epi32((int32_t)group[i]);
            sum[i][0] = add_products(sum[i][0], x0, y);
            sum[i][1] = add_products(sum[i][1], x1, y);
            sum[i][2] = add_products(sum[i][2], x2, y);
        }
        group += GROUP;
    } while (--steps);
    UNROLL for (int i = 0; i < GROUP; i++) {
        __m512i best = _mm512_max_epi32(_mm512_max_epi32(sum[i][0], sum[i][1]), sum[i][2]);
        any |= _mm512_cmpge_epi32_mask(best, _mm512_set1_epi32((int32_t)levels[i]));
    }
    if (!any)
        return 0;
    UNROLL for (int i = 0; i < GROUP; i++) {
        __m512i level = _mm512_set1_epi32((int32_t)levels[i]);
        masks[i] = (uint64_t)_mm512_cmpge_epi32_mask(sum[i][0], level) |
                   (uint64_t)_mm512_cmpge_epi32_mask(sum[i][1], level) << 16 |
                   (uint64_t)_mm512_cmpge_epi32_mask(sum[i][2], level) << 32;
    }
    return 1;
}

#endif

static Tile *tile_of(int64_t variant)
{
#ifdef HAS_X86
    if (variant == AVX2)
        return tile_avx2;
    if (variant == AVX512)
        return tile_avx512;
    if (variant == VNNI)
        return tile_vnni;
#endif
    return variant == PORTABLE ? tile_portable : NULL;
}

/* Whether this processor, and its system, have what a variant needs. */
EXPORT int icost_kernel_has(int64_t variant)
{
#ifdef HAS_X86
    __builtin_cpu_init();
    if (variant == AVX2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (variant == AVX512)
        return __builtin_cpu_supports("avx512f") != 0;
    if (variant == VNNI)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni");
#endif
    return variant == PORTABLE;
}

EXPORT int icost_kernel_interface(void)
{
    return INTERFACE;
}

/* ---- What is kept ---------------------------------------------------------------------------- */

/* Put a distance in the place of the greatest of a query's n least, and restore the heap: every
   entry is at least as great as the two below it. */
static void replace_greatest(double *heap, int64_t n, double distance)
{
    int64_t at = 0;
    for (;;) {
        int64_t child = 2 * at + 1;
        if (child >= n)
            break;
        if (child + 1 < n && heap[child + 1] > heap[child])
            child++;
        if (heap[child] <= distance)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = distance;
}

/* Drop the hits that were within reach when they were found, and are no longer. */
static void sweep(Search *s)
{
    Answer *a = s->answer;
    int64_t n_kept = 0;
    for (int64_t h = 0; h < a->n_hits; h++)
        if (a->list[h].distance <= reach_of(s, a->list[h].query))
            a->list[n_kept++] = a->list[h];
    a->n_hits = n_kept;
}

/* Several queries with too many ties for the memory are refused; one alone never is. */
static int is_refused(const Search *s)
{
    return s->n_queries > 1 && s->answer->n_hits > s->limit;
}

/* Make room for more hits. */
static int make_room(Search *s)
{
    Answer *a = s->answer;
    sweep(s);
    if (is_refused(s))
        return TOO_MANY;
    if (a->n_hits <= a->capacity / 2)
        return DONE;
    Hit *list = realloc(a->list, (size_t)a->capacity * 2 * sizeof *list);
    if (!list)
        return NO_MEMORY;
    a->list = list;
    a->capacity *= 2;
    return DONE;
}

/* Measure the pairs of one query that passed, keep those within reach, and tighten the reach. */
static int keep_near(Search *s, int64_t query, int64_t first, uint64_t mask)
{
    Answer *a = s->answer;
    double *heap = s->heaps + query * s->n_nearest;
    int is_nearer = 0;
    for (; mask; mask &= mask - 1) {
        int64_t position = first + __builtin_ctzll(mask);
        double distance = measure(s, query, position);
        a->n_measured++;
        if (!(distance <= reach_of(s, query)))
            continue;
        a->n_near++;
        if (distance < heap[0]) {
            replace_greatest(heap, s->n_nearest, distance);
            is_nearer = 1;
        }
        if (a->n_hits == a->capacity) {
            int status = make_room(s);
            if (status != DONE)
                return status;
        }
        a->list[a->n_hits++] = (Hit){distance, query, position};
    }
    if (is_nearer)
        set_level(s, query);
    return DONE;
}

/* ---- The search ------------------------------------------------------------------------------ */

/* Whether bytes are too coarse for these data, after so many points: what they let pass in vain, a
   hundredth of the pairs, costs more than floats would. A share of the good hits is allowed, too,
   as these are many among the first points. */
static int is_blind(const Search *s, int64_t n_seen)
{
    int64_t n_vain = s->answer->n_measured - s->answer->n_near;
    return s->index->is_bytes && n_vain > n_seen * s->n_queries / 100 + 2 * s->answer->n_near;
}

static uint64_t first_bits(int64_t n)
{
    return ((uint64_t)1 << n) - 1;
}

/* Let all queries meet some points of the panel that starts at a position. */
static int screen_panel(Search *s, Tile *tile, int64_t first, uint64_t points)
{
    int64_t steps = n_steps(s->index), n_groups = (s->n_queries + GROUP - 1) / GROUP;
    const uint32_t *panel = s->index->panels + first * (steps + 1);
    uint64_t masks[GROUP];
    for (int64_t g = 0; g < n_groups; g++) {
        if (!tile(panel, s->groups + g * steps * GROUP, s->levels + g * GROUP, steps, masks))
            continue;
        for (int i = 0; i < GROUP; i++) {
            uint64_t mask = masks[i] & points;
            int status = mask ? keep_near(s, g * GROUP + i, first, mask) : DONE;
            if (status != DONE)
                return status;
        }
    }
    return DONE;
}

static int screen(Search *s, Tile *tile)
{
    int64_t n = s->index->n_points;
    /* Nothing is known at first, and all points pass. A third of the first panel comes alone, so
       that most of its others need not be measured any more. */
    int status = screen_panel(s, tile, 0, first_bits(n < PANEL / 3 ? n : PANEL / 3));
    for (int64_t first = 0; first < n && status == DONE; first += PANEL) {
        /* The last panel may be partly empty: what passes there is no point. */
        uint64_t points = first_bits(n - first < PANEL ? n - first : PANEL);
        if (first == 0)
            points &= ~first_bits(PANEL / 3);
        status = screen_panel(s, tile, first, points);
        if (status == DONE && is_blind(s, first + PANEL))
            status = BLIND;
    }
    return status;
}

static int prepare(Search *s)
{
    int64_t steps = n_steps(s->index), n = s->n_queries;
    int64_t n_filled = (n + GROUP - 1) / GROUP * GROUP;
    double *y = make_row(s->index);
    s->groups = calloc((size_t)(n_filled * steps + 1), sizeof *s->groups);
    s->levels = malloc((size_t)n_filled * sizeof *s->levels);
    s->bases = malloc((size_t)n * sizeof *s->bases);
    s->errors = malloc((size_t)n * sizeof *s->errors);
    s->heaps = malloc((size_t)(n * s->n_nearest) * sizeof *s->heaps);
    s->answer->capacity = n * (2 * s->n_nearest + 64);
    s->answer->list = malloc((size_t)s->answer->capacity * sizeof(Hit));
    if (!y || !s->groups || !s->levels || !s->bases || !s->errors || !s->heaps ||
        !s->answer->list) {
        free(y);
        return NO_MEMORY;
    }
    for (int64_t i = 0; i < n * s->n_nearest; i++)
        s->heaps[i] = INFINITY;
    for (int64_t q = 0; q < n; q++) {
        pack_query(s, q, y);
        set_level(s, q);
    }
    for (int64_t q = n; q < n_filled; q++)
        close_level(s, q);
    free(y);
    return DONE;
}

/* Find the candidates of a block of queries. The answer is to be freed, whatever is returned. */
EXPORT int icost_kernel_search(const Index *index, int64_t variant, const double *queries,
                               int64_t n_queries, int64_t n_nearest, double margin,
                               int64_t limit, Answer *answer)
{
    Search s = {.index = index, .squares = squares_of(index, variant), .queries = queries, .n_queries = n_queries, .limit = limit,
                .n_nearest = n_nearest, .margin = margin, .answer = answer};
    memset(answer, 0, sizeof *answer);
    int status = prepare(&s);
    if (status == DONE)
        status = screen(&s, tile_of(variant));
    if (status == DONE) {
        sweep(&s);
        status = is_refused(&s) ? TOO_MANY : DONE;
    }
    free(s.groups);
    free(s.levels);
    free(s.bases);
    free(s.errors);
    free(s.heaps);
    return status;
}

EXPORT void icost_kernel_free(Answer *answer)
{
    free(answer->list);
    memset(answer, 0, sizeof *answer);
}
