// What embedding.cu needs that only a GPU can do: loads past L1, dynamic shared memory, bulk copies. Host code that runs the kernels
// brings versions of its own.
#pragma once

template <typename W>
__device__ inline W load_past_l1(const W* address) {
  W word;
  if constexpr (sizeof(W) == 16) {
    asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
        : "l"(address));
  } else if constexpr (sizeof(W) == 8) {
    asm volatile("ld.global.L1::no_allocate.v2.u32 {%0, %1}, [%2];" : "=r"(word.x), "=r"(word.y) : "l"(address));
  } else {
    static_assert(sizeof(W) == 4, "no use is known for narrower ones");
    asm volatile("ld.global.L1::no_allocate.u32 %0, [%1];" : "=r"(word) : "l"(address));
  }
  return word;
}

extern __shared__ uint4 dynamic_shared_memory[];
__device__ inline unsigned char* dynamic_shared() {
  return reinterpret_cast<unsigned char*>(dynamic_shared_memory);
}

// Bulk copies (PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy"): compute capability 9.0 and
// later. Addresses and sizes are multiples of 16 bytes.
#if __CUDA_ARCH__ >= 900
__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// One thread will announce bytes in every phase of `barrier`.
__device__ inline void barrier_init(unsigned long long* barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
}
// Barriers initialised before it are known to the copy engine.
__device__ inline void barrier_publish() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__device__ inline void bulk_load(void* shared, const void* global, unsigned bytes, unsigned long long* barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(shared)),
               "l"(global), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
}
// Until the loads announced in the barrier's phase of this parity have arrived.
__device__ inline void bulk_wait_load(unsigned long long* barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred arrived;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 arrived, [%0], %1;\n"
      "@!arrived bra again;\n"
      "}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

__device__ inline void bulk_store(void* global, const void* shared, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
               "r"(shared_address(shared)), "r"(bytes)
               : "memory");
}
// The stores since the last commit are one group, possibly an empty one.
__device__ inline void bulk_commit_stores() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// Until all but this thread's last PENDING groups have read their shared memory.
template <int PENDING>
__device__ inline void bulk_wait_stores() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}
#else
__device__ inline void barrier_init(unsigned long long*) {}
__device__ inline void barrier_publish() {}
__device__ inline void bulk_load(void*, const void*, unsigned, unsigned long long*) { __trap(); }
__device__ inline void bulk_wait_load(unsigned long long*, unsigned) {}
__device__ inline void bulk_store(void*, const void*, unsigned) { __trap(); }
__device__ inline void bulk_commit_stores() {}
template <int PENDING>
__device__ inline void bulk_wait_stores() {}
#endif
