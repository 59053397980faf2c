// An NVML for tests, which knows one card: 0000:1b:00.0 at 1500 MHz and 55 C, slowed for power, idling and by chosen clocks.
#include <cstring>

extern "C" {

int nvmlInit_v2() { return 0; }
int nvmlSystemGetDriverVersion(char* text, unsigned int length) {
  std::strncpy(text, "999.1", length);
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** device) {
  static int card;
  *device = &card;
  return std::strcmp(bus_id, "0000:1b:00.0") == 0 ? 0 : 6;  // not found
}
int nvmlDeviceGetClockInfo(void*, int which, unsigned int* mhz) {
  *mhz = which == 1 ? 1500 : 9999;  // 1: of the SMs
  return 0;
}
int nvmlDeviceGetTemperature(void*, int sensor, unsigned int* celsius) {
  *celsius = 55;
  return sensor == 0 ? 0 : 2;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = 0x1 | 0x2 | 0x4;
  return 0;
}
}
