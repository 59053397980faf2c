// A card's own sensors, through NVML, which is looked for at run time. Nothing is ever set.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <warptune/runtime/device.hpp>

namespace warptune::runtime {

struct SensorReading {
  // Bits of slowdown_reasons, as NVML has them. Idling, chosen clocks and the like slow nobody down against his will.
  static constexpr std::uint64_t power_cap = 0x4, hardware_slowdown = 0x8, software_thermal = 0x20,
                                 hardware_thermal = 0x40, power_brake = 0x80;
  static constexpr std::uint64_t any_slowdown =
      power_cap | hardware_slowdown | software_thermal | hardware_thermal | power_brake;

  std::optional<double> sm_mhz;
  std::optional<double> temperature_c;
  std::uint64_t slowdown_reasons = 0;  // only those above; 0 also where not known
};

// One thread at a time.
class Sensors {
 public:
  virtual ~Sensors() = default;
  virtual SensorReading read() = 0;  // some 10 us; what fails is left out
};

// Null where there is no NVML, or it does not know the device's bus_id.
std::unique_ptr<Sensors> open_sensors(const DeviceInfo& device);

}  // namespace warptune::runtime
