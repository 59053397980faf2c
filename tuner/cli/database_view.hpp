// What the commands share about the database: opening it, its templates, and warnings about rows. One thread.
#pragma once

#include <string>

#include <warptune/db/store.hpp>
#include <warptune/spec/catalog.hpp>

#include "tuner/cli/command.hpp"

namespace warptune::tuner {

// Errors: not_found, with the command that makes a database; database.
db::Store open_for_reading(const Context& context);

// Created when missing; a damaged file is set aside with a line on the error stream. Error: that of opening, saying
// what cannot be saved where.
db::Store open_for_writing(const Context& context);

// The template of a kernel that was named; null when there is none here but the database has records of it.
// Error not_found when neither knows it.
spec::TemplatePtr template_for(const std::string& kernel, const db::Store& store);

// Size, age and content of the file, as a table with one row.
Table database_table(const db::Store& store, std::int64_t now_unix_s);

// One line on the error stream when rows could not be read.
void report_faults(const db::Store& store, const Context& context);

}  // namespace warptune::tuner
