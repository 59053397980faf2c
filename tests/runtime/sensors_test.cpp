// What is read from a card's sensors, and that they may be missing. The NVML is the library of fake_nvml.cpp.
#include <gtest/gtest.h>

#include <warptune/runtime/sensors.hpp>

#include "runtime/device/nvml.hpp"

namespace warptune::runtime {
namespace {

TEST(SensorsTest, ReadClockTemperatureAndWhatSlowsTheCardDown) {
  const std::optional<NvmlApi> api = load_nvml(WARPTUNE_FAKE_NVML_LIBRARY);
  ASSERT_TRUE(api);
  const std::unique_ptr<Sensors> sensors = open_sensors(*api, "0000:1b:00");
  ASSERT_NE(sensors, nullptr);
  const SensorReading reading = sensors->read();
  EXPECT_EQ(reading.sm_mhz, 1500);
  EXPECT_EQ(reading.temperature_c, 55);
  EXPECT_EQ(reading.slowdown_reasons, SensorReading::power_cap) << "idling and chosen clocks are no slowdown";
}

TEST(SensorsTest, UnknownCardOrMissingLibraryGivesNone) {
  const std::optional<NvmlApi> api = load_nvml(WARPTUNE_FAKE_NVML_LIBRARY);
  ASSERT_TRUE(api);
  EXPECT_EQ(open_sensors(*api, "0000:1c:00"), nullptr);
  EXPECT_EQ(open_sensors(*api, ""), nullptr);
  EXPECT_FALSE(load_nvml("libwarptune-no-nvml.so.1"));
}

}  // namespace
}  // namespace warptune::runtime
