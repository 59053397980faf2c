// What the sources of the messages share. Private to them.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "tuner/worker/codec.hpp"
#include "tuner/worker/messages.hpp"

namespace warptune::tuner {

[[noreturn]] inline void fail_message(const std::string& what) {
  throw Error(ErrorKind::bad_input, "a message between processes is damaged: " + what);
}

// The members of a message of this kind. Error bad_input for any other kind. The message must outlive the reader.
inline ByteReader body_of(const Message& message, MessageKind kind) {
  if (message.kind != kind)
    fail_message(std::string("'") + to_string(message.kind) + "' came instead of '" + to_string(kind) + "'");
  return ByteReader(message.body);
}

template <class Map, class WriteValue>
void write_map(ByteWriter& out, const Map& map, WriteValue write_value) {
  out.list(map, [&](const auto& entry) {
    out.text(entry.first);
    write_value(entry.second);
  });
}

template <class Map, class ReadValue>
Map read_map(ByteReader& in, ReadValue read_value) {
  Map map;
  in.list([&] {
    std::string key = in.text();
    map.insert_or_assign(std::move(key), read_value());
  });
  return map;
}

template <class Map>
void write_texts(ByteWriter& out, const Map& map) {
  write_map(out, map, [&](const std::string& value) { out.text(value); });
}

template <class Map>
Map read_texts(ByteReader& in) {
  return read_map<Map>(in, [&] { return in.text(); });
}

inline void write_ceilings(ByteWriter& out, const Ceilings& ceilings) {
  out.number(ceilings.read), out.number(ceilings.write), out.number(ceilings.copy);
}

// Members in the order in which both sides visit them.
template <class Traits, class Visit>
void visit_kernel_traits(Traits& traits, Visit visit) {
  visit(traits.registers), visit(traits.local_bytes), visit(traits.static_shared_bytes);
  visit(traits.max_threads_per_block);
}

// Visitors that write numbers, and that read them.
inline auto number_writer(ByteWriter& out) {
  return [&out](auto value) { out.number(value); };
}
inline auto number_reader(ByteReader& in) {
  return [&in](auto& value) { value = in.number<std::remove_reference_t<decltype(value)>>(); };
}

// A time or rate: finite and above zero.
double read_positive(ByteReader& in);

inline Ceilings read_ceilings(ByteReader& in) {
  Ceilings ceilings;
  for (double* rate : {&ceilings.read, &ceilings.write, &ceilings.copy}) *rate = read_positive(in);
  return ceilings;
}

}  // namespace warptune::tuner
