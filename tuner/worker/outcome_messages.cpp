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
  out.optional(opened.read_ceiling_bytes_per_s, [&](double number) { out.number(number); });
  write_spent(out, opened.spent);
  return {MessageKind::opened, out.bytes()};
}

Opened read_opened(const Message& message) {
  ByteReader in = body_of(message, MessageKind::opened);
  Opened opened;
  opened.read_ceiling_bytes_per_s = in.optional([&] { return read_positive(in); });
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

}  // namespace warptune::tuner
