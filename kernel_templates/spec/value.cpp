#include <warptune/spec/value.hpp>

#include <deque>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace warptune::spec {
namespace {

// Grows only; a deque keeps the strings where they are, so views of them stay valid.
struct WordTable {
  std::shared_mutex mutex;
  std::deque<std::string> texts;
  std::unordered_map<std::string_view, std::uint32_t> ids;
};

// Never destroyed: words may be read while other static objects end.
WordTable& table() {
  static WordTable* const words = new WordTable;
  return *words;
}

std::uint32_t intern(std::string_view text) {
  WordTable& words = table();
  {
    std::shared_lock lock(words.mutex);
    if (auto found = words.ids.find(text); found != words.ids.end()) return found->second;
  }
  std::unique_lock lock(words.mutex);
  if (auto found = words.ids.find(text); found != words.ids.end()) return found->second;
  const auto id = static_cast<std::uint32_t>(words.texts.size());
  words.ids.emplace(words.texts.emplace_back(text), id);
  return id;
}

}  // namespace

Word::Word(std::string_view text) : id_(intern(text)) {}

Word Word::from_id(std::uint32_t id) { return Word(FromId{}, id); }

std::string_view Word::text() const {
  WordTable& words = table();
  std::shared_lock lock(words.mutex);
  return words.texts[id_];
}

std::string Value::text() const {
  switch (kind_) {
    case Kind::unset:
      return "unset";
    case Kind::integer:
      return std::to_string(payload_);
    case Kind::boolean:
      return as_boolean() ? "true" : "false";
    case Kind::word:
      return std::string(as_word().text());
  }
  return {};
}

}  // namespace warptune::spec
