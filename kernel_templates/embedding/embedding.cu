// Embedding look-up: output row i is table row ids[i], for i in [0, n). Rows are copied as bytes, so element types
// of one size share their kernels. Nothing outside the table is read, whatever the ids hold.
// The kernels keep no state of their own; any number of streams may run them on buffers of their own. Each may begin while the
// kernel ahead of it on the stream still runs, and waits for it before it touches a buffer. next_early: whether a kernel behind it
// may do so as soon as all its blocks run, and not only when they end.

// What becomes of an id outside [0, v); docs/kernels/embedding.md.
enum class Policy {
  clamp,  // the nearest row of the table; zeros where the table has no row
  zero,   // a row of zeros
  check   // a row of zeros, and the smallest position of such an id goes to *first_bad
};

// How a thread moves the PACK elements that are its share of a row.
enum class Access {
  packed,   // as one access
  separate  // one by one: neighbouring threads then stride
};

enum class Load {
  cached,       // as the hardware likes
  no_allocate,  // past L1
  streaming     // first to leave the caches
};

enum class Store { cached, streaming };

template <int BYTES>
struct Word;
template <>
struct Word<1> {
  using Type = unsigned char;
};
template <>
struct Word<2> {
  using Type = unsigned short;
};
template <>
struct Word<4> {
  using Type = unsigned int;
};
template <>
struct Word<8> {
  using Type = uint2;
};
template <>
struct Word<16> {
  using Type = uint4;
};

#ifdef __CUDACC__  // host code that runs these kernels brings its own versions
#include "gpu_copies.cuh"
#include "gpu_order.cuh"
#endif

// The bytes that a thread moves at once.
template <int ELEMENT_BYTES, int PACK, Access ACCESS>
struct Piece {
  using Type = typename Word<ELEMENT_BYTES * PACK>::Type;
  Type word;
};
template <int ELEMENT_BYTES, int PACK>
struct Piece<ELEMENT_BYTES, PACK, Access::separate> {
  typename Word<ELEMENT_BYTES>::Type elements[PACK];
};

template <Load LOAD, int ELEMENT_BYTES, int PACK>
__device__ inline void load_piece(Piece<ELEMENT_BYTES, PACK, Access::packed>& piece, const void* address) {
  const auto* word = static_cast<const typename Word<ELEMENT_BYTES * PACK>::Type*>(address);
  if constexpr (LOAD == Load::no_allocate) {
    piece.word = load_past_l1(word);
  } else if constexpr (LOAD == Load::streaming) {
    piece.word = __ldcs(word);
  } else {
    piece.word = *word;
  }
}
template <Load LOAD, int ELEMENT_BYTES, int PACK>
__device__ inline void load_piece(Piece<ELEMENT_BYTES, PACK, Access::separate>& piece, const void* address) {
  const auto* elements = static_cast<const typename Word<ELEMENT_BYTES>::Type*>(address);
#pragma unroll
  for (int i = 0; i < PACK; ++i) piece.elements[i] = elements[i];
}

template <Store STORE, int ELEMENT_BYTES, int PACK>
__device__ inline void store_piece(void* address, const Piece<ELEMENT_BYTES, PACK, Access::packed>& piece) {
  auto* word = static_cast<typename Word<ELEMENT_BYTES * PACK>::Type*>(address);
  if constexpr (STORE == Store::streaming) {
    __stcs(word, piece.word);
  } else {
    *word = piece.word;
  }
}
template <Store STORE, int ELEMENT_BYTES, int PACK>
__device__ inline void store_piece(void* address, const Piece<ELEMENT_BYTES, PACK, Access::separate>& piece) {
  auto* elements = static_cast<typename Word<ELEMENT_BYTES>::Type*>(address);
#pragma unroll
  for (int i = 0; i < PACK; ++i) elements[i] = piece.elements[i];
}

// The table's row for an id; -1: there is none, and the output row is zeros.
template <Policy POLICY>
__device__ inline long long source_row(long long id, long long v) {
  if constexpr (POLICY == Policy::clamp) {
    const long long at_least = id < 0 ? 0 : id;
    return at_least < v ? at_least : v - 1;
  } else {
    return static_cast<unsigned long long>(id) < static_cast<unsigned long long>(v) ? id : -1;
  }
}

// Called once per output row, by one thread.
template <Policy POLICY>
__device__ inline void report_id(long long source, long long row, unsigned long long* first_bad) {
  if constexpr (POLICY == Policy::check) {
    if (source < 0) atomicMin(first_bad, static_cast<unsigned long long>(row));
  }
}

// Elements [first, h) of a row, `step` apart, one by one. `source` null: zeros.
template <int ELEMENT_BYTES>
__device__ inline void copy_elements(unsigned char* output, const unsigned char* source, int first, int h, int step) {
  using Element = typename Word<ELEMENT_BYTES>::Type;
#pragma unroll 1
  for (int e = first; e < h; e += step) {
    Element element{};
    if (source != nullptr) element = reinterpret_cast<const Element*>(source)[e];
    reinterpret_cast<Element*>(output)[e] = element;
  }
}

// THREADS_PER_ROW threads share a row, pack by pack; each has ROWS rows and UNROLL packs of each in flight. The block
// is a multiple of THREADS_PER_ROW; any grid: blocks take tiles of blockDim.x / THREADS_PER_ROW * ROWS rows in turn.
// Row starts are aligned to what is accessed at once. Pitches in elements; h < 2^31 - 2^14.
template <typename Id, int ELEMENT_BYTES, int PACK, Access ACCESS, int THREADS_PER_ROW, int ROWS, int UNROLL, Load LOAD,
          Store STORE, Policy POLICY>
__global__ void __launch_bounds__(512)
    embedding_rows(const Id* ids, const void* table, void* output,
                   unsigned long long* first_bad, long long n, long long v, int h, long long table_pitch,
                   long long output_pitch, int next_early) {
  constexpr int PIECE_BYTES = ELEMENT_BYTES * PACK;
  const int lane = static_cast<int>(threadIdx.x) % THREADS_PER_ROW;
  const int groups = static_cast<int>(blockDim.x) / THREADS_PER_ROW;
  const int packs = h / PACK;
  const long long apart = groups * output_pitch * ELEMENT_BYTES;  // bytes between a thread's rows
  const long long first = static_cast<long long>(blockIdx.x) * (groups * ROWS) + threadIdx.x / THREADS_PER_ROW;
  const long long stride = static_cast<long long>(gridDim.x) * (groups * ROWS);
  if (next_early != 0) let_next_kernel_begin();
  wait_for_previous_kernel();
#pragma unroll 1
  for (long long row = first; row < n; row += stride) {
    Id id[ROWS];
    bool inside[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      inside[r] = row + r * groups < n;
      id[r] = inside[r] ? ids[row + r * groups] : Id(0);
    }
    const unsigned char* from[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const long long source = source_row<POLICY>(static_cast<long long>(id[r]), v);
      if (lane == 0 && inside[r]) report_id<POLICY>(source, row + r * groups, first_bad);
      from[r] = inside[r] && source >= 0
                    ? static_cast<const unsigned char*>(table) + source * table_pitch * ELEMENT_BYTES
                    : nullptr;
    }
    unsigned char* const to = static_cast<unsigned char*>(output) + row * output_pitch * ELEMENT_BYTES;
#pragma unroll 1
    for (int pack = lane; pack < packs; pack += THREADS_PER_ROW * UNROLL) {
      Piece<ELEMENT_BYTES, PACK, ACCESS> pieces[ROWS][UNROLL] = {};
#pragma unroll
      for (int r = 0; r < ROWS; ++r)
#pragma unroll
        for (int u = 0; u < UNROLL; ++u)
          if (pack + u * THREADS_PER_ROW < packs && from[r] != nullptr)
            load_piece<LOAD>(pieces[r][u],
                             from[r] + static_cast<long long>(pack) * PIECE_BYTES + u * THREADS_PER_ROW * PIECE_BYTES);
#pragma unroll
      for (int r = 0; r < ROWS; ++r)
#pragma unroll
        for (int u = 0; u < UNROLL; ++u)
          if (pack + u * THREADS_PER_ROW < packs && inside[r])
            store_piece<STORE>(to + r * apart + static_cast<long long>(pack) * PIECE_BYTES +
                                   u * THREADS_PER_ROW * PIECE_BYTES,
                               pieces[r][u]);
    }
    if (PACK > 1 && packs * PACK < h) {
#pragma unroll
      for (int r = 0; r < ROWS; ++r)
        if (inside[r])
          copy_elements<ELEMENT_BYTES>(to + r * apart, from[r], packs * PACK + lane, h, THREADS_PER_ROW);
    }
  }
}

// Whether the table has a row for an id, and which; 32 bits throughout, for tables of less than 2^32 rows, and at least one.
template <Policy POLICY>
__device__ inline bool find_row(long long id, unsigned v, unsigned& row) {
  const bool inside = static_cast<unsigned long long>(id) < v;
  row = inside ? static_cast<unsigned>(id) : id < 0 ? 0 : v - 1;
  return inside || POLICY == Policy::clamp;
}

// Rows of just THREADS_PER_ROW * UNROLL packs: no loop, no remainder, and the shortest way from an id to its row. Each thread has
// all its packs of ROWS rows in registers. One block per tile of blockDim.x / THREADS_PER_ROW * ROWS rows; pitches in bytes, all of
// them and n below 2^32. With small tables the time is that of two dependent loads, so each instruction between them shows.
template <typename Id, int ELEMENT_BYTES, int PACK, int THREADS_PER_ROW, int ROWS, int UNROLL, Load LOAD, Store STORE,
          Policy POLICY>
__global__ void __launch_bounds__(512)
    embedding_whole(const Id* ids, const void* table, void* output,
                    unsigned long long* first_bad, unsigned n, unsigned v, unsigned table_pitch_bytes,
                    unsigned output_pitch_bytes, int next_early) {
  constexpr int PIECE_BYTES = ELEMENT_BYTES * PACK;
  const unsigned lane = threadIdx.x % THREADS_PER_ROW;
  const unsigned groups = blockDim.x / THREADS_PER_ROW;
  const unsigned first = blockIdx.x * (groups * ROWS) + threadIdx.x / THREADS_PER_ROW;
  if (next_early != 0) let_next_kernel_begin();
  wait_for_previous_kernel();
  Id id[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) id[r] = first + r * groups < n ? ids[first + r * groups] : Id(0);
  Piece<ELEMENT_BYTES, PACK, Access::packed> pieces[ROWS][UNROLL];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    unsigned source = 0;
    const bool found = find_row<POLICY>(static_cast<long long>(id[r]), v, source);
    if (!found && lane == 0 && first + r * groups < n) report_id<POLICY>(-1, first + r * groups, first_bad);
    const unsigned char* from = static_cast<const unsigned char*>(table) +
                                static_cast<unsigned long long>(source) * table_pitch_bytes + lane * PIECE_BYTES;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      if (POLICY == Policy::clamp || found) {
        load_piece<LOAD>(pieces[r][u], from + u * (THREADS_PER_ROW * PIECE_BYTES));
      } else {
        pieces[r][u] = {};
      }
    }
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const unsigned row = first + r * groups;
    if (row >= n) return;
    unsigned char* to = static_cast<unsigned char*>(output) + static_cast<unsigned long long>(row) * output_pitch_bytes +
                        lane * PIECE_BYTES;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) store_piece<STORE>(to + u * (THREADS_PER_ROW * PIECE_BYTES), pieces[r][u]);
  }
}

// The packs of all output rows are one sequence, which the threads of the grid take in turn, UNROLL at a time: no
// thread idles at the end of a row. A row's last pack may be a part of one. pieces_per_row = max(1, ceil(h / PACK)).
template <typename Id, int ELEMENT_BYTES, int PACK, int UNROLL, Load LOAD, Store STORE, Policy POLICY>
__global__ void __launch_bounds__(512)
    embedding_flat(const Id* ids, const void* table, void* output,
                   unsigned long long* first_bad, long long n, long long v, int h, long long table_pitch,
                   long long output_pitch, int pieces_per_row, int next_early) {
  constexpr int PIECE_BYTES = ELEMENT_BYTES * PACK;
  const int packs = h / PACK;
  const auto per_row = static_cast<unsigned>(pieces_per_row);
  const long long total = n * pieces_per_row;
  const long long tile = static_cast<long long>(blockDim.x) * UNROLL;
  if (next_early != 0) let_next_kernel_begin();
  wait_for_previous_kernel();
#pragma unroll 1
  for (long long first = blockIdx.x * tile; first < total; first += gridDim.x * tile) {
    // One wide division per tile, if that; from its first row on, 32 bits do.
    const long long base = total <= 0xffffffffLL ? static_cast<unsigned>(first) / per_row : first / per_row;
    const unsigned offset = static_cast<unsigned>(first - base * per_row) + threadIdx.x;
    const auto* tile_ids = ids + base;
    unsigned row[UNROLL];  // from `base` on
    int piece[UNROLL];     // of that row; -1: past the end
    Id id[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      const unsigned along = static_cast<unsigned>(u) * blockDim.x;
      const bool inside = first + threadIdx.x + along < total;
      row[u] = (offset + along) / per_row;
      piece[u] = inside ? static_cast<int>(offset + along - row[u] * per_row) : -1;
      id[u] = inside ? tile_ids[row[u]] : Id(0);
    }
    Piece<ELEMENT_BYTES, PACK, Access::packed> pieces[UNROLL] = {};
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      const long long source = source_row<POLICY>(static_cast<long long>(id[u]), v);
      if (piece[u] == 0) report_id<POLICY>(source, base + row[u], first_bad);
      if (source >= 0 && piece[u] >= 0 && piece[u] < packs)
        load_piece<LOAD>(pieces[u], static_cast<const unsigned char*>(table) + source * table_pitch * ELEMENT_BYTES +
                                        static_cast<long long>(piece[u]) * PIECE_BYTES);
    }
    unsigned char* const to = static_cast<unsigned char*>(output) + base * output_pitch * ELEMENT_BYTES;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
      if (piece[u] >= 0 && piece[u] < packs)
        store_piece<STORE>(to + row[u] * output_pitch * ELEMENT_BYTES + static_cast<long long>(piece[u]) * PIECE_BYTES,
                           pieces[u]);
    if (PACK > 1 && packs * PACK < h) {
#pragma unroll 1
      for (int u = 0; u < UNROLL; ++u) {
        const unsigned along = static_cast<unsigned>(u) * blockDim.x;
        const unsigned at = offset + along;
        const unsigned last_row = at / per_row;
        if (first + threadIdx.x + along >= total || at - last_row * per_row != static_cast<unsigned>(packs))
          continue;
        const long long source = source_row<POLICY>(static_cast<long long>(tile_ids[last_row]), v);
        copy_elements<ELEMENT_BYTES>(
            to + last_row * output_pitch * ELEMENT_BYTES,
            source < 0 ? nullptr
                       : static_cast<const unsigned char*>(table) + source * table_pitch * ELEMENT_BYTES,
            packs * PACK, h, 1);
      }
    }
  }
}

// Rows, cut into chunks of at most chunk_bytes, pass through shared memory by bulk copies: each warp has SLOTS chunks of its own
// there, and takes chunks in turn with the other warps of the grid. Row and chunk bytes, pitches and bases are multiples of 16.
// Dynamic shared memory: (blockDim.x / 32) * SLOTS * (chunk_bytes + 16) bytes. Compute capability 9.0 and later.
template <typename Id, int SLOTS, Policy POLICY>
__global__ void __launch_bounds__(512)
    embedding_bulk(const Id* ids, const void* table, void* output,
                   unsigned long long* first_bad, long long n, long long v, long long row_bytes,
                   long long table_pitch_bytes, long long output_pitch_bytes, int chunk_bytes, int next_early) {
  constexpr int LAG = SLOTS / 2;  // chunks whose stores may still read when a slot is filled again
  const int warps = static_cast<int>(blockDim.x) / 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  unsigned char* const slots = dynamic_shared() + static_cast<long long>(warp) * SLOTS * chunk_bytes;
  auto* const barriers = reinterpret_cast<unsigned long long*>(
                             dynamic_shared() + static_cast<long long>(warps) * SLOTS * chunk_bytes) +
                         warp * SLOTS;
  if (lane == 0) {
    for (int s = 0; s < SLOTS; ++s) barrier_init(barriers + s);
    barrier_publish();
  }
  __syncwarp();

  const long long chunks_per_row = row_bytes > chunk_bytes ? (row_bytes + chunk_bytes - 1) / chunk_bytes : 1;
  const long long total = n * chunks_per_row;
  const long long first = static_cast<long long>(blockIdx.x) * warps + warp;
  const long long stride = static_cast<long long>(gridDim.x) * warps;
  const long long mine = first < total ? (total - first + stride - 1) / stride : 0;

  unsigned loaded = 0;  // bit per slot: a load is under way; else its row is zeros
  unsigned parity = 0;  // bit per slot: of the barrier's phase that ends next
  const auto row_of = [&](long long k) {
    return chunks_per_row == 1 ? first + k * stride : (first + k * stride) / chunks_per_row;
  };
  if (next_early != 0) let_next_kernel_begin();
  wait_for_previous_kernel();
  Id id = mine > 0 ? ids[row_of(0)] : Id(0);  // of the chunk that begins next
  const auto begin = [&](long long k) {
    if (k >= mine) return;
    const int slot = static_cast<int>(k % SLOTS);
    const long long row = row_of(k);
    const long long offset = (first + k * stride - row * chunks_per_row) * chunk_bytes;
    const long long left = row_bytes - offset;
    const long long source = source_row<POLICY>(static_cast<long long>(id), v);
    if (k + 1 < mine) id = ids[row_of(k + 1)];
    if (lane == 0 && offset == 0) report_id<POLICY>(source, row, first_bad);
    loaded &= ~(1u << slot);
    if (source < 0 || left <= 0) return;
    loaded |= 1u << slot;
    if (lane == 0)
      bulk_load(slots + static_cast<long long>(slot) * chunk_bytes,
                static_cast<const unsigned char*>(table) + source * table_pitch_bytes + offset,
                static_cast<unsigned>(left < chunk_bytes ? left : chunk_bytes), barriers + slot);
  };

#pragma unroll 1
  for (long long k = 0; k < SLOTS - LAG; ++k) begin(k);
#pragma unroll 1
  for (long long k = 0; k < mine; ++k) {
    const int slot = static_cast<int>(k % SLOTS);
    const long long row = row_of(k);
    const long long offset = (first + k * stride - row * chunks_per_row) * chunk_bytes;
    const long long left = row_bytes - offset;
    const int bytes = static_cast<int>(left < chunk_bytes ? left : chunk_bytes);
    unsigned char* const to = static_cast<unsigned char*>(output) + row * output_pitch_bytes + offset;
    if (loaded >> slot & 1u) {
      if (lane == 0) {
        bulk_wait_load(barriers + slot, parity >> slot & 1u);
        bulk_store(to, slots + static_cast<long long>(slot) * chunk_bytes, static_cast<unsigned>(bytes));
      }
      parity ^= 1u << slot;
    } else {
      for (int b = lane * 16; b < bytes; b += 32 * 16) *reinterpret_cast<uint4*>(to + b) = uint4{};
    }
    if (lane == 0) {
      bulk_commit_stores();
      bulk_wait_stores<LAG>();  // the slot filled next was stored LAG chunks ago
    }
    begin(k + SLOTS - LAG);
  }
  if (lane == 0) bulk_wait_stores<0>();  // shared memory goes with the block
}

// What embedding is checked against: element by element. `reference` and `first_bad` begin as all ones, as outputs do; what
// lies between rows stays so. Any grid of blocks of 256 threads.
template <typename Id, int ELEMENT_BYTES, Policy POLICY>
__global__ void __launch_bounds__(256)
    embedding_reference(const Id* ids, const void* table, void* reference, unsigned long long* first_bad, long long n,
                        long long v, long long h, long long table_pitch, long long output_pitch) {
  using Element = typename Word<ELEMENT_BYTES>::Type;
  for (long long row = blockIdx.x; row < n; row += gridDim.x) {
    long long id = static_cast<long long>(ids[row]);
    const bool outside = id < 0 || id >= v;
    if (outside && POLICY == Policy::clamp) id = id < 0 ? 0 : v - 1;
    const bool zeros = v == 0 || (outside && POLICY != Policy::clamp);
    if (outside && POLICY == Policy::check && threadIdx.x == 0)
      atomicMin(first_bad, static_cast<unsigned long long>(row));
    for (long long e = threadIdx.x; e < h; e += 256)
      static_cast<Element*>(reference)[row * output_pitch + e] =
          zeros ? Element{} : static_cast<const Element*>(table)[id * table_pitch + e];
  }
}
