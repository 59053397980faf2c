#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include <warptune/base/text.hpp>

#include "tuner/report/formats.hpp"

namespace warptune::tuner {
namespace {

constexpr std::size_t gap = 2;
// A text column is not made narrower than its longest word, as far as that is no longer than a name and a number are, and where
// that leaves too little room, not narrower than the other.
constexpr std::size_t longest_whole_word = 24, narrowest = 8;

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

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) longest = std::max(longest, word.size());
  return longest;
}

// The lines of a cell: as it is where it has room, else broken at blanks, and words that are too long anywhere. Precondition: width > 0.
std::vector<std::string> cell_lines(const std::string& text, std::size_t width) {
  if (text.size() <= width) return {text};
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.empty() && lines.back().size() + 1 + word.size() <= width) {
      lines.back() += ' ' + word;
      continue;
    }
    for (; word.size() > width; word.erase(0, width)) lines.push_back(word.substr(0, width));
    lines.push_back(word);
  }
  return lines;
}

class Layout {
 public:
  Layout(const Table& table, const Style& style) : table_(table) {
    std::vector<std::size_t> whole_words, least;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i].place != Place::row) continue;
      std::size_t width = table.columns[i].heading.size(), word = width;
      for (const auto& row : table.rows) {
        const std::string text = shown_text(row[i], table.columns[i].show);
        width = std::max(width, text.size());
        word = std::max(word, longest_word(text));
      }
      shown_.push_back(i);
      widths_.push_back(width);
      whole_words.push_back(std::min(word, longest_whole_word));
      least.push_back(narrowest);
    }
    shrink(style.width, whole_words);
    shrink(style.width, least);
  }

  std::string heading() const {
    std::vector<std::string> texts;
    for (const std::size_t i : shown_) texts.push_back(table_.columns[i].heading);
    return lines(texts);
  }

  std::string row(const std::vector<Cell>& cells) const {
    std::vector<std::string> texts;
    for (const std::size_t i : shown_) texts.push_back(shown_text(cells[i], table_.columns[i].show));
    return lines(texts);
  }

 private:
  bool is_text(std::size_t i) const { return table_.columns[shown_[i]].show == Show::text; }

  // Takes from the widest text columns, down to `least` of each, until the row fits.
  void shrink(std::size_t limit, const std::vector<std::size_t>& least) {
    for (;;) {
      std::size_t total = widths_.empty() ? 0 : gap * (widths_.size() - 1);
      std::size_t widest = widths_.size();
      for (std::size_t i = 0; i < widths_.size(); ++i) {
        total += widths_[i];
        if (is_text(i) && widths_[i] > least[i] && (widest == widths_.size() || widths_[i] > widths_[widest]))
          widest = i;
      }
      if (total <= limit || widest == widths_.size()) return;
      widths_[widest] = std::max(least[widest], widths_[widest] - std::min(widths_[widest], total - limit));
    }
  }

  // One line, or several where a text goes on below itself.
  std::string lines(const std::vector<std::string>& texts) const {
    std::vector<std::vector<std::string>> cells;
    std::size_t count = 1;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      cells.push_back(is_text(i) ? cell_lines(texts[i], widths_[i]) : std::vector{texts[i]});
      count = std::max(count, cells.back().size());
    }
    std::string all;
    for (std::size_t at = 0; at < count; ++at) {
      std::string line;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string text = at < cells[i].size() ? cells[i][at] : "";
        if (i > 0) line += std::string(gap, ' ');
        line +=
            is_text(i) ? fmt::format("{:<{}}", text, widths_[i]) : fmt::format("{:>{}}", text, widths_[i]);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      all += (at == 0 ? "" : "\n") + line;
    }
    return all;
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
