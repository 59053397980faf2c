#include <warptune/runtime/contexts.hpp>

#include <utility>

#include "runtime/device/cuda_contexts.hpp"
#include "runtime/device/cuda_device.hpp"

namespace warptune::runtime {
namespace {

class CudaContexts final : public Contexts {
 public:
  explicit CudaContexts(const DriverApi& api) : api_(api) {}

  ContextId current() const noexcept override {
    unsigned long long id = 0;
    return api_.context_get_id(nullptr, &id) == CUDA_SUCCESS ? ContextId{id} : no_context;
  }
  std::shared_ptr<Device> borrow() override { return make_cuda_device(CudaContext::borrow_current(api_)); }

 private:
  const DriverApi& api_;
};

class OnlyContext final : public Contexts {
 public:
  explicit OnlyContext(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  ContextId current() const noexcept override { return ContextId{1}; }
  std::shared_ptr<Device> borrow() override { return device_; }

 private:
  std::shared_ptr<Device> device_;
};

}  // namespace

std::shared_ptr<Contexts> make_cuda_contexts(const DriverApi& api) {
  return std::make_shared<CudaContexts>(api);
}

std::shared_ptr<Contexts> cuda_contexts() { return make_cuda_contexts(driver_api()); }

std::shared_ptr<Contexts> only_context(std::shared_ptr<Device> device) {
  return std::make_shared<OnlyContext>(std::move(device));
}

}  // namespace warptune::runtime
