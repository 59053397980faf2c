#include <gtest/gtest.h>

#include <warptune/db/device_name.hpp>

namespace warptune::db {
namespace {

TEST(NormaliseDeviceName, TrimsAndJoinsBlanks) {
  EXPECT_EQ(normalise_device_name("  NVIDIA   H200 \t\n"), "NVIDIA H200");
  EXPECT_EQ(normalise_device_name("NVIDIA H200"), "NVIDIA H200");
  EXPECT_EQ(normalise_device_name(" \t "), "");
}

TEST(NormaliseDeviceName, DropsTrademarkMarks) {
  EXPECT_EQ(normalise_device_name("NVIDIA(R) Quadro RTX(TM) 6000"), "NVIDIA Quadro RTX 6000");
  EXPECT_EQ(normalise_device_name("NVIDIA\xC2\xAE GeForce\xE2\x84\xA2 RTX 4090"), "NVIDIA GeForce RTX 4090");
  EXPECT_EQ(normalise_device_name("(c)Quadro(r)RTX"), "Quadro RTX");
}

TEST(NormaliseDeviceName, NearTwinsStayApart) {
  const char* names[] = {"NVIDIA H100 PCIe", "NVIDIA H100 SXM", "NVIDIA H100 80GB HBM3",
                         "NVIDIA H100",      "nvidia h100",     "NVIDIA H100 (PCIe)"};
  for (const char* one : names) {
    EXPECT_EQ(normalise_device_name(one), one);
  }
}

TEST(NormaliseDeviceName, TwiceIsOnce) {
  for (const char* name : {"((R)R) X", "(T(R)M)", "A (R) (TM) B", "\xC2\xAE"}) {
    const std::string once = normalise_device_name(name);
    EXPECT_EQ(normalise_device_name(once), once) << name;
  }
}

}  // namespace
}  // namespace warptune::db
