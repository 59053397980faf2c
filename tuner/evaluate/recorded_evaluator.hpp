// Replays measurements from any warptune database through the Evaluator seam: no GPU, driver or NVRTC is
// needed. One thread at a time.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include <warptune/db/store.hpp>
#include <warptune/spec/instance.hpp>
#include <warptune/tuner/evaluator.hpp>

namespace warptune::tuner {

// Traits of the device that a key describes: what the key holds, and the limits of its compute capability.
// The device of a recording is known by these alone.
spec::DeviceTraits traits_of(const db::DeviceKey& key);

// Devices whose problems a database holds, each once, in the order of the problems.
std::vector<db::DeviceKey> recorded_devices(const db::Store& recording);

// The evaluator that replays `problem` under `policy`, on the first device that was recorded with it. A
// recording that allowed more numerics classes than `problem` does serves too: the outcome of a config does
// not depend on what else was allowed.
//
// evaluate() gives the newest stored outcome, blocks included, and counts as origin `replayed`. A config that
// the recording does not hold is `excluded` with that reason: it is no failure of the config. time_block()
// goes round a config's stored blocks in time order, and independent_blocks() says how many there are, so
// that no decision claims more than was recorded. toolchain() is the one that the recording was made with.
// Nothing is spent on a GPU.
//
// Errors: not_found when no file, or no such problem in it (what there is instead is named); bad_input when
// the template has changed since; database.
std::unique_ptr<Evaluator> open_recorded_evaluator(const std::filesystem::path& file,
                                                   const spec::TemplatePtr& spec,
                                                   const spec::Problem& problem, const std::string& policy);

}  // namespace warptune::tuner
