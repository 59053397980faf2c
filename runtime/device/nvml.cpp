#include "runtime/device/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdio>

namespace warptune::runtime {
namespace {

constexpr int sm_clock = 1, gpu_temperature = 0;  // nvmlClockType_t, nvmlTemperatureSensors_t

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

class NvmlSensors final : public Sensors {
 public:
  NvmlSensors(const NvmlApi& api, NvmlApi::Handle device) : api_(api), device_(device) {}

  SensorReading read() override {
    SensorReading reading;
    unsigned int value = 0;
    unsigned long long reasons = 0;
    if (api_.clock_mhz(device_, sm_clock, &value) == 0) reading.sm_mhz = value;
    if (api_.temperature_c(device_, gpu_temperature, &value) == 0) reading.temperature_c = value;
    if (api_.slowdown_reasons(device_, &reasons) == 0)
      reading.slowdown_reasons = reasons & SensorReading::any_slowdown;
    return reading;
  }

 private:
  const NvmlApi& api_;
  NvmlApi::Handle device_;
};

}  // namespace

std::optional<NvmlApi> load_nvml(const char* name) noexcept {
  void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::nullopt;
  NvmlApi api;
  int (*init)() = nullptr;
  const bool usable = find(library, "nvmlInit_v2", init) &&
                      find(library, "nvmlSystemGetDriverVersion", api.system_driver_version) &&
                      find(library, "nvmlDeviceGetHandleByPciBusId_v2", api.device_by_bus_id) &&
                      find(library, "nvmlDeviceGetClockInfo", api.clock_mhz) &&
                      find(library, "nvmlDeviceGetTemperature", api.temperature_c) &&
                      (find(library, "nvmlDeviceGetCurrentClocksEventReasons", api.slowdown_reasons) ||
                       find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", api.slowdown_reasons)) &&
                      init() == 0;
  return usable ? std::optional(api) : std::nullopt;
}

const NvmlApi* nvml() noexcept {
  static const std::optional<NvmlApi> loaded = load_nvml("libnvidia-ml.so.1");
  return loaded ? &*loaded : nullptr;
}

const char* driver_package_version() noexcept {
  static const auto version = [] {
    std::array<char, 96> text{};
    if (std::FILE* const file = std::fopen("/sys/module/nvidia/version", "re")) {
      const bool read = std::fscanf(file, "%95s", text.data()) == 1;
      std::fclose(file);
      if (read) return text;
    }
    if (nvml() == nullptr ||
        nvml()->system_driver_version(text.data(), static_cast<unsigned int>(text.size())) != 0)
      text[0] = '\0';
    return text;
  }();
  return version.data();
}

std::unique_ptr<Sensors> open_sensors(const NvmlApi& api, const std::string& bus_id) {
  NvmlApi::Handle handle = nullptr;
  // NVML wants the function's number too, which is 0 for GPUs.
  if (bus_id.empty() || api.device_by_bus_id((bus_id + ".0").c_str(), &handle) != 0) return nullptr;
  return std::make_unique<NvmlSensors>(api, handle);
}

std::unique_ptr<Sensors> open_sensors(const DeviceInfo& device) {
  return nvml() == nullptr ? nullptr : open_sensors(*nvml(), device.bus_id);
}

}  // namespace warptune::runtime
