// What is said where the driver is missing, wrong, too old or has no GPU, and that nothing throws after a lost context.
// The driver is the library of fake_driver.cpp.
#include <dlfcn.h>
#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <warptune/base/error.hpp>

#include "runtime/device/cuda_contexts.hpp"
#include "runtime/device/cuda_device.hpp"
#include "runtime/device/device_info.hpp"

namespace warptune::runtime {
namespace {

using ::testing::HasSubstr;

class Driver : public ::testing::Test {
 protected:
  static const DriverApi& load(const char* mode) {
    ::setenv("WARPTUNE_FAKE_DRIVER", mode, 1);
    static DriverApi api;
    api = load_driver_api(WARPTUNE_FAKE_DRIVER_LIBRARY);
    return api;
  }
  // The error that `action` throws; fails the test when there is none.
  template <class Action>
  static Error error_of(const Action& action) {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_THAT(error.full_text(), Not(HasSubstr("\n")));
      return error;
    }
    ADD_FAILURE() << "no error";
    return Error(ErrorKind::internal, "");
  }
};

TEST_F(Driver, MissingLibraryIsNamed) {
  const Error error = error_of([] { load_driver_api("libwarptune-no-driver.so.1"); });
  EXPECT_EQ(error.kind(), ErrorKind::no_device);
  EXPECT_EQ(error.what(), std::string("no NVIDIA driver: libwarptune-no-driver.so.1 was not found"));
  EXPECT_THAT(error.hint(), HasSubstr("install the NVIDIA driver"));
}

TEST_F(Driver, StubLibraryIsToldFromADriver) {
  const Error error = error_of([] { load("stub"); });
  EXPECT_EQ(error.kind(), ErrorKind::no_device);
  EXPECT_EQ(error.native_code(), 34);
  EXPECT_THAT(error.what(), HasSubstr("stub library"));
  EXPECT_THAT(error.hint(), HasSubstr("LD_LIBRARY_PATH"));
}

TEST_F(Driver, OldDriverSaysItsVersion) {
  const Error error = error_of([] { load("old"); });
  EXPECT_EQ(error.kind(), ErrorKind::unsupported);
  EXPECT_THAT(error.what(), HasSubstr("11.8"));
}

TEST_F(Driver, DriverWithoutAFunctionSaysWhich) {
  const Error error = error_of([] { load("partial"); });
  EXPECT_EQ(error.kind(), ErrorKind::unsupported);
  EXPECT_THAT(error.what(), HasSubstr("cuLibraryLoadData"));
}

TEST_F(Driver, NoGpu) {
  const DriverApi& api = load("no_gpu");
  const Error error = error_of([&] { CudaContext::retain_primary(api, 0); });
  EXPECT_EQ(error.kind(), ErrorKind::no_device);
  EXPECT_THAT(error.full_text(), HasSubstr("CUDA_VISIBLE_DEVICES"));
}

TEST_F(Driver, OrdinalOutOfRangeSaysHowManyThereAre) {
  const DriverApi& api = load("two");
  for (const int ordinal : {2, -1}) {
    const Error error = error_of([&] { CudaContext::retain_primary(api, ordinal); });
    EXPECT_EQ(error.kind(), ErrorKind::no_device);
    EXPECT_EQ(error.what(), "no device cuda:" + std::to_string(ordinal) + ": this process sees 2 GPUs");
    EXPECT_EQ(error.hint(), "use cuda:0 to cuda:1");
  }
}

TEST_F(Driver, NothingToBorrow) {
  const DriverApi& api = load("two");
  const Error error = error_of([&] { CudaContext::borrow_current(api); });
  EXPECT_EQ(error.kind(), ErrorKind::no_device);
  EXPECT_THAT(error.what(), HasSubstr("no CUDA context is current"));
}

TEST_F(Driver, ModulesAreLoadedEagerlyUnlessTheUserSaysOtherwise) {
  ::setenv("CUDA_MODULE_LOADING", "LAZY", 1);
  initialize_driver(load("two"));  // once per process
  EXPECT_STREQ(std::getenv("CUDA_MODULE_LOADING"), "LAZY");
}

TEST_F(Driver, ResultsBecomeErrorsWithNameAndCode) {
  const DriverApi& api = load("two");
  EXPECT_NO_THROW(api.check(CUDA_SUCCESS, "cuCall"));
  const auto kind = [&](CUresult code) { return error_of([&] { api.check(code, "cuCall"); }).kind(); };
  EXPECT_EQ(kind(CUDA_ERROR_OUT_OF_MEMORY), ErrorKind::out_of_memory);
  EXPECT_EQ(kind(CUDA_ERROR_STREAM_CAPTURE_ISOLATION), ErrorKind::capture);
  EXPECT_EQ(kind(CUDA_ERROR_INVALID_DEVICE), ErrorKind::no_device);
  EXPECT_EQ(kind(CUDA_ERROR_CAPTURED_EVENT), ErrorKind::capture);
  EXPECT_EQ(kind(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE), ErrorKind::cuda);
  const Error named = error_of([&] { api.check(CUDA_ERROR_ILLEGAL_ADDRESS, "cuCall"); });
  EXPECT_EQ(named.what(), std::string("cuCall: CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
  EXPECT_EQ(named.native_code(), 700);
  const Error unknown = error_of([&] { api.check(static_cast<CUresult>(998), "cuCall"); });
  EXPECT_THAT(unknown.what(), HasSubstr("998"));
}

TEST_F(Driver, DeviceReportsWhatTheDriverSays) {
  const auto device = make_cuda_device(CudaContext::retain_primary(load("two"), 1));
  EXPECT_EQ(device->info().label, "cuda:1");
  EXPECT_EQ(device->info().driver_version, 13000);
  EXPECT_EQ(device->info().traits.model, "Fake GPU");
  EXPECT_EQ(device->info().traits.compute_capability, 77);  // 10 * 7 + 7
  EXPECT_EQ(device->info().architecture(), "sm_77");
  EXPECT_EQ(device->info().traits.memory_bytes, std::int64_t{1} << 30);
  const Error error = error_of([&] { device->allocate(std::size_t{1} << 31); });
  EXPECT_EQ(error.kind(), ErrorKind::out_of_memory);
  EXPECT_THAT(error.what(), HasSubstr("2147483648 bytes"));
}

TEST_F(Driver, ImagesThatWouldBeReadPastTheirEndAreRefused) {
  const auto device = make_cuda_device(CudaContext::retain_primary(load("two"), 0));
  const auto kind_of = [&](std::vector<std::byte> image) {
    return error_of([&] { device->load(image); }).kind();
  };
  EXPECT_EQ(kind_of({}), ErrorKind::bad_input);
  EXPECT_EQ(kind_of(std::vector<std::byte>(100, std::byte{'Z'})), ErrorKind::bad_input);
  // An ELF header that places one section header at its own end, with and without it there.
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_shoff = sizeof header;
  header.e_shnum = 1;
  header.e_shentsize = sizeof(Elf64_Shdr);
  std::vector<std::byte> elf(sizeof header + sizeof(Elf64_Shdr));
  std::memcpy(elf.data(), &header, sizeof header);
  EXPECT_NO_THROW(device->load(elf));
  elf.pop_back();
  EXPECT_EQ(kind_of(elf), ErrorKind::bad_input);
}

TEST_F(Driver, NothingThrowsFromDestructorsAfterALostContext) {
  const auto device = make_cuda_device(CudaContext::retain_primary(load("two"), 0));
  const std::byte image[1] = {};  // empty PTX
  {
    const DeviceBuffer buffer(*device, 256);
    const auto module = device->load(image);
    const StreamHandle stream = device->create_stream();
    const EventHandle event = device->create_event();
    ::setenv("WARPTUNE_FAKE_DRIVER", "lost", 1);
    const Error error = error_of([&] { device->synchronize(stream); });
    EXPECT_TRUE(context_is_lost(error));
    device->destroy_event(event);
    device->destroy_stream(stream);
  }
  EXPECT_THROW(device->allocate(1), Error);
}

// Two contexts of the fake driver.
class DriverContexts : public Driver {
 protected:
  DriverContexts() {
    create(a_);
    create(b_);
  }
  ~DriverContexts() override { make_current(nullptr); }

  template <class Function>
  static Function* fake(const char* name) {
    static void* const library = ::dlopen(WARPTUNE_FAKE_DRIVER_LIBRARY, RTLD_NOW);
    return reinterpret_cast<Function*>(::dlsym(library, name));
  }
  static void create(CUcontext handle) { fake<void(void*)>("fake_create_context")(handle); }
  static void destroy(CUcontext handle) { fake<void(void*)>("fake_destroy_context")(handle); }
  static int frees() { return fake<int()>("fake_frees")(); }
  void make_current(CUcontext handle) const { api_.context_set_current(handle); }
  CUcontext current() const {
    CUcontext handle = nullptr;
    api_.context_get_current(&handle);
    return handle;
  }

  const DriverApi& api_ = load("two");
  int places_[2] = {};
  const CUcontext a_ = reinterpret_cast<CUcontext>(&places_[0]);
  const CUcontext b_ = reinterpret_cast<CUcontext>(&places_[1]);
};

TEST_F(DriverContexts, EachHasAnIdOfItsOwnAndAHandleThatIsGivenAgainGetsAnother) {
  const auto contexts = make_cuda_contexts(api_);
  EXPECT_EQ(contexts->current(), no_context);
  EXPECT_THROW(contexts->borrow(), Error);
  make_current(a_);
  const ContextId first = contexts->current();
  EXPECT_NE(first, no_context);
  EXPECT_EQ(contexts->current(), first);
  make_current(b_);
  EXPECT_NE(contexts->current(), first);
  destroy(a_);
  create(a_);
  make_current(a_);
  EXPECT_NE(contexts->current(), first);
}

TEST_F(DriverContexts, WorkInOneLeavesTheOtherCurrent) {
  make_current(a_);
  const auto device = make_cuda_contexts(api_)->borrow();
  make_current(b_);
  const std::byte image[1] = {};  // empty PTX
  {
    const DeviceBuffer buffer(*device, 256);
    EXPECT_EQ(current(), b_);
    const auto module = device->load(image);
    module->function("kernel");
    EXPECT_EQ(current(), b_);
    device->destroy_stream(device->create_stream());
  }
  EXPECT_EQ(current(), b_);
}

// Its addresses may belong to somebody else by now, its handle too.
TEST_F(DriverContexts, WhatLayInADestroyedOneIsNotTouched) {
  make_current(a_);
  const auto device = make_cuda_contexts(api_)->borrow();
  const int before = frees();
  { const DeviceBuffer freed(*device, 256); }
  EXPECT_EQ(frees(), before + 1);
  const std::byte image[1] = {};
  {
    const auto module = device->load(image);
    const DeviceBuffer left(*device, 256);
    destroy(a_);
    make_current(b_);
    const Error error = error_of([&] { device->allocate(256); });
    EXPECT_TRUE(context_is_lost(error));
    EXPECT_THAT(error.what(), HasSubstr("the CUDA context that was borrowed is gone"));
    create(a_);  // another one under the same handle
  }
  EXPECT_EQ(frees(), before + 1);
  EXPECT_EQ(current(), b_);
}

TEST(ContextIsLost, OnlyForFailuresThatPoisonTheContext) {
  const auto lost = [](ErrorKind kind, std::optional<long> code) {
    return context_is_lost(Error(kind, "message", {}, code));
  };
  EXPECT_TRUE(lost(ErrorKind::cuda, 700));   // illegal address
  EXPECT_TRUE(lost(ErrorKind::cuda, 719));   // launch failed
  EXPECT_FALSE(lost(ErrorKind::cuda, 1));    // invalid value
  EXPECT_FALSE(lost(ErrorKind::cuda, 701));  // too many resources requested for a launch
  EXPECT_FALSE(lost(ErrorKind::io, 700));
  EXPECT_FALSE(lost(ErrorKind::cuda, std::nullopt));
}

TEST(NormalisedModel, KeepsOneBlankBetweenWords) {
  EXPECT_EQ(normalised_model("  NVIDIA \t H200  "), "NVIDIA H200");
  EXPECT_EQ(normalised_model("Tesla V100-SXM2-16GB"), "Tesla V100-SXM2-16GB");
  EXPECT_EQ(normalised_model(" "), "");
}

}  // namespace
}  // namespace warptune::runtime
