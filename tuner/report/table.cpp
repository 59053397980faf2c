#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include <warptune/base/text.hpp>

#include "tuner/report/formats.hpp"

namespace warptune::tuner {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t narrowest = 8;  // a text column is not cut below this

// What came from a database may hold anything.
std::string shown_text(const Cell& cell, Show show) { return one_line(cell_text(cell, show)); }

std::string bold(const std::string& text, const Style& style) {
  return style.color ? "\x1b[1m" + text + "\x1b[0m" : text;
}

// `text` behind `head` on the first line and indented by head's width on the others. Breaks at blanks; a word
// longer than the width stays whole.
void write_wrapped(const std::string& head, const std::string& text, std::ostream& out, const Style& style) {
  std::istringstream words(one_line(text));
  std::string margin = head;
  std::string line;
  const auto flush = [&] {
    out << margin << line << '\n';
    margin.assign(head.size(), ' ');
    line.clear();
  };
  for (std::string word; words >> word;) {
    if (!line.empty() && margin.size() + line.size() + 1 + word.size() > style.width) flush();
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) flush();
}

class Layout {
 public:
  Layout(const Table& table, const Style& style) : table_(table) {
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if (table.columns[i].place == Place::row) shown_.push_back(i);
    for (const std::size_t i : shown_) {
      std::size_t width = table.columns[i].heading.size();
      for (const auto& row : table.rows)
        width = std::max(width, shown_text(row[i], table.columns[i].show).size());
      widths_.push_back(width);
    }
    shrink(style.width);
  }

  std::string heading() const {
    std::string line;
    for (std::size_t i = 0; i < shown_.size(); ++i) append(line, i, table_.columns[shown_[i]].heading);
    return line;
  }

  std::string row(const std::vector<Cell>& cells) const {
    std::string line;
    for (std::size_t i = 0; i < shown_.size(); ++i)
      append(line, i, shown_text(cells[shown_[i]], table_.columns[shown_[i]].show));
    return line;
  }

 private:
  bool is_text(std::size_t i) const { return table_.columns[shown_[i]].show == Show::text; }

  void shrink(std::size_t limit) {
    for (;;) {
      std::size_t total = widths_.empty() ? 0 : gap * (widths_.size() - 1);
      std::size_t widest = widths_.size();
      for (std::size_t i = 0; i < widths_.size(); ++i) {
        total += widths_[i];
        if (is_text(i) && (widest == widths_.size() || widths_[i] > widths_[widest])) widest = i;
      }
      if (total <= limit || widest == widths_.size() || widths_[widest] <= narrowest) return;
      widths_[widest] = std::max(narrowest, widths_[widest] - std::min(widths_[widest], total - limit));
    }
  }

  void append(std::string& line, std::size_t i, std::string text) const {
    if (i > 0) line += std::string(gap, ' ');
    if (text.size() > widths_[i]) text = text.substr(0, widths_[i] - 2) + "..";
    const bool last = i + 1 == shown_.size();
    if (is_text(i)) {
      line += last ? text : fmt::format("{:<{}}", text, widths_[i]);
    } else {
      line += fmt::format("{:>{}}", text, widths_[i]);
    }
  }

  const Table& table_;
  std::vector<std::size_t> shown_;
  std::vector<std::size_t> widths_;
};

void write_rows(const Table& table, std::ostream& out, const Style& style) {
  const Layout layout(table, style);
  out << bold(layout.heading(), style) << '\n';
  for (const std::vector<Cell>& row : table.rows) {
    out << layout.row(row) << '\n';
    for (std::size_t i = 0; i < row.size(); ++i)
      if (table.columns[i].place == Place::below && !std::holds_alternative<std::monostate>(row[i]))
        write_wrapped("    ", cell_text(row[i], table.columns[i].show), out, style);
  }
}

}  // namespace

void write_table(const Document& document, std::ostream& out, const Style& style) {
  std::size_t longest = 0;
  for (const auto& [name, cell] : document.fields) longest = std::max(longest, name.size());
  for (const auto& [name, cell] : document.fields) {
    std::string words = name;
    std::replace(words.begin(), words.end(), '_', ' ');
    write_wrapped(fmt::format("{:<{}}", words, longest + gap), cell_text(cell, Show::text), out, style);
  }
  bool first = document.fields.empty();
  for (const Table& table : document.tables) {
    if (table.rows.empty()) continue;
    if (!first) out << '\n';
    first = false;
    write_rows(table, out, style);
  }
  for (const std::string& note : document.notes) {
    if (!first) out << '\n';
    first = false;
    write_wrapped("", note, out, style);
  }
}

}  // namespace warptune::tuner
