// The operands of a launch, with what their pointers tell of their elements: a float* where the kernel takes __half* is found at
// the first launch.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include <warptune/runtime/device.hpp>

// CUDA's own element types, declared as its headers declare them: only pointers to them are passed.
struct __half;
struct __nv_bfloat16;
struct __nv_fp8_e4m3;
struct __nv_fp8_e5m2;

namespace warptune::runtime {

// The CUDA name of T as manifests spell it; empty: nothing is known, so nothing is checked. void, char, std::byte and classes are
// such. Specialise it for a type of your own that has the layout of one of CUDA's:
//   template <> inline constexpr std::string_view warptune::runtime::element_name<my::Half> = "__half";
template <typename T>
inline constexpr std::string_view element_name = "";
template <>
inline constexpr std::string_view element_name<float> = "float";
template <>
inline constexpr std::string_view element_name<double> = "double";
template <>
inline constexpr std::string_view element_name<__half> = "__half";
template <>
inline constexpr std::string_view element_name<__nv_bfloat16> = "__nv_bfloat16";
template <>
inline constexpr std::string_view element_name<__nv_fp8_e4m3> = "__nv_fp8_e4m3";
template <>
inline constexpr std::string_view element_name<__nv_fp8_e5m2> = "__nv_fp8_e5m2";
template <>
inline constexpr std::string_view element_name<signed char> = "signed char";
template <>
inline constexpr std::string_view element_name<unsigned char> = "unsigned char";
template <>
inline constexpr std::string_view element_name<short> = "short";
template <>
inline constexpr std::string_view element_name<unsigned short> = "unsigned short";
template <>
inline constexpr std::string_view element_name<int> = "int";
template <>
inline constexpr std::string_view element_name<unsigned int> = "unsigned int";
template <>
inline constexpr std::string_view element_name<long> = sizeof(long) == 8 ? "long long" : "int";
template <>
inline constexpr std::string_view element_name<unsigned long> =
    sizeof(long) == 8 ? "unsigned long long" : "unsigned int";
template <>
inline constexpr std::string_view element_name<long long> = "long long";
template <>
inline constexpr std::string_view element_name<unsigned long long> = "unsigned long long";

// A pointer to device memory, or a bare address (CUdeviceptr), which says nothing of elements.
template <typename P>
concept DeviceAddress = (std::is_pointer_v<P> && !std::is_function_v<std::remove_pointer_t<P>>) ||
                        std::same_as<P, unsigned long long> || std::same_as<P, DevicePointer>;

namespace detail {

template <typename... T>
inline constexpr std::array<std::string_view, sizeof...(T)> element_names{element_name<T>...};

template <typename P>
struct Pointed {
  using Type = void;
};
template <typename T>
struct Pointed<T*> {
  using Type = std::remove_cv_t<T>;
};

inline void* erased(const volatile void* pointer) { return const_cast<void*>(pointer); }
inline void* erased(std::unsigned_integral auto address) { return reinterpret_cast<void*>(address); }

}  // namespace detail

// Pointers in the manifest's order, for Kernel::launch().
template <std::size_t N>
struct Operands {
  std::array<void*, N> pointers;
  const std::string_view* element_names;  // N, for the life of the program; the same for equal types
};

template <DeviceAddress... P>
Operands<sizeof...(P)> operands(P... pointers) {
  return {{detail::erased(pointers)...}, detail::element_names<typename detail::Pointed<P>::Type...>.data()};
}

}  // namespace warptune::runtime
