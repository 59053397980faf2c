// The few functions of NVML that warptune calls, found at run time. nvml.h is not part of every toolkit; these signatures are
// stable. Immutable once loaded; safe for concurrent use.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <warptune/runtime/sensors.hpp>

namespace warptune::runtime {

struct NvmlApi {
  using Handle = struct NvmlDevice*;
  int (*system_driver_version)(char* text, unsigned int length) = nullptr;
  int (*device_by_bus_id)(const char* bus_id, Handle* device) = nullptr;
  int (*clock_mhz)(Handle device, int which, unsigned int* mhz) = nullptr;
  int (*temperature_c)(Handle device, int sensor, unsigned int* celsius) = nullptr;
  int (*slowdown_reasons)(Handle device, unsigned long long* reasons) = nullptr;
};

// Loads and initialises a library, never to be closed: the driver may have threads in it. Nothing where it or a function is
// missing.
std::optional<NvmlApi> load_nvml(const char* library) noexcept;

// The machine's own, loaded on first use; null where there is none.
const NvmlApi* nvml() noexcept;

// `api` must outlive them. Null where the library does not know the card.
std::unique_ptr<Sensors> open_sensors(const NvmlApi& api, const std::string& bus_id);

// Version of the installed driver package, "580.159.04": what the kernel says of its module, else NVML, whose start takes longer
// than that of a program that only computes; empty where neither is there. The text lives as long as the process.
const char* driver_package_version() noexcept;

}  // namespace warptune::runtime
