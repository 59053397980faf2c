// What a measuring worker answers.
#include <cmath>

#include "tuner/worker/message_parts.hpp"

namespace warptune::tuner {
namespace {

void write_spent(ByteWriter& out, const Spent& spent) {
  out.number(spent.gpu_s);
  write_map(out, spent.phase_s, [&](double seconds) { out.number(seconds); });
}

Spent read_spent(ByteReader& in) {
  const auto seconds = [&] {
    const auto value = in.number<double>();
    if (!std::isfinite(value) || value < 0) fail_message("a duration is negative");
    return value;
  };
  Spent spent;
  spent.gpu_s = seconds();
  spent.phase_s = read_map<std::map<std::string, double>>(in, seconds);
  return spent;
}

}  // namespace

Message to_message(const Opened& opened) {
  ByteWriter out;
  write_ceilings(out, opened.ceilings);
  out.number(opened.limit_bytes_per_s);
  write_spent(out, opened.spent);
  return {MessageKind::opened, out.bytes()};
}

Opened read_opened(const Message& message) {
  ByteReader in = body_of(message, MessageKind::opened);
  Opened opened;
  opened.ceilings = read_ceilings(in);
  opened.limit_bytes_per_s = read_positive(in);
  opened.spent = read_spent(in);
  in.end();
  return opened;
}

Message to_message(const Evaluated& evaluated) {
  const Outcome& outcome = evaluated.outcome;
  ByteWriter out;
  out.word(outcome.status);
  out.text(outcome.reason);
  out.list(outcome.blocks_ns, [&](double value) { out.number(value); });
  out.optional(outcome.max_error, [&](double value) { out.number(value); });
  out.boolean(outcome.verified_ragged);
  visit_kernel_traits(outcome.traits, number_writer(out));
  out.number(outcome.alignment_bytes);
  write_spent(out, evaluated.spent);
  return {MessageKind::outcome, out.bytes()};
}

Evaluated read_evaluated(const Message& message) {
  ByteReader in = body_of(message, MessageKind::outcome);
  Evaluated evaluated;
  Outcome& outcome = evaluated.outcome;
  outcome.status = in.word(OutcomeStatus::timed_out);
  outcome.reason = in.text();
  in.list([&] { outcome.blocks_ns.push_back(read_positive(in)); });
  if (outcome.status == OutcomeStatus::ok && outcome.blocks_ns.empty())
    fail_message("no time of a good candidate");
  outcome.max_error = in.optional([&] { return in.number<double>(); });
  outcome.verified_ragged = in.boolean();
  visit_kernel_traits(outcome.traits, number_reader(in));
  outcome.alignment_bytes = in.number<int>();
  evaluated.spent = read_spent(in);
  in.end();
  return evaluated;
}

Message to_message(const TimedBlock& block) {
  ByteWriter out;
  out.number(block.time_ns);
  write_spent(out, block.spent);
  return {MessageKind::block, out.bytes()};
}

TimedBlock read_timed_block(const Message& message) {
  ByteReader in = body_of(message, MessageKind::block);
  TimedBlock block;
  block.time_ns = read_positive(in);
  block.spent = read_spent(in);
  in.end();
  return block;
}

Message to_message(const Conditions& conditions) {
  ByteWriter out;
  const auto write = [&](double value) { out.number(value); };
  out.optional(conditions.clock, [&](const Conditions::Clock& clock) {
    write(clock.lowest_mhz), write(clock.median_mhz), write(clock.highest_mhz);
  });
  out.optional(conditions.longest_stall_ns, write);
  out.number(conditions.slowdown_reasons);
  out.optional(conditions.temperature_c, write);
  return {MessageKind::seen, out.bytes()};
}

Conditions read_conditions(const Message& message) {
  ByteReader in = body_of(message, MessageKind::seen);
  const auto finite = [&] {
    const auto value = in.number<double>();
    if (!std::isfinite(value)) fail_message("what the card went through is no number");
    return value;
  };
  Conditions conditions;
  conditions.clock = in.optional([&] {
    Conditions::Clock clock;
    for (double* mhz : {&clock.lowest_mhz, &clock.median_mhz, &clock.highest_mhz}) *mhz = read_positive(in);
    return clock;
  });
  conditions.longest_stall_ns = in.optional(finite);
  conditions.slowdown_reasons = in.number<std::uint64_t>();
  conditions.temperature_c = in.optional(finite);
  in.end();
  return conditions;
}

}  // namespace warptune::tuner
