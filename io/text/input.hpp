#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/start/start_file.hpp"

namespace tessera
{

/// A text file, line by line, whose errors name file and line.
///
/// Numbers are read strictly and without regard to the locale: the whole field must be a finite
/// number that fits.
class TextInput
{
public:
    /// Reads the file. Throws IoError.
    explicit TextInput(std::filesystem::path path);

    /// Steps to the next line; false at the end.
    bool next_line();
    /// Steps to the next line that must be there; `expected` says what it holds.
    void require_line(std::string_view expected);
    /// The present line without its end.
    std::string_view line() const
    {
        return line_;
    }
    /// Throws IoError "FILE:LINE: MESSAGE".
    [[noreturn]] void fail(std::string_view message) const;

    double number(std::string_view field, std::string_view what) const;
    std::int64_t integer(std::string_view field, std::string_view what) const;
    /// An integer that fits into 32 bits.
    std::int32_t small_integer(std::string_view field, std::string_view what) const;
    /// A number with the digits it is written with, six at least: what programs write by habit.
    StatedNumber stated_number(std::string_view field, std::string_view what) const;
    /// A count of `what`, from 1, that the rest of the file can hold at `bytes_each` or more: what
    /// is announced is not believed before that.
    std::int64_t count(std::string_view field, std::size_t bytes_each, std::string_view what) const;
    /// A name of a species: one word of at most 64 bytes without control characters, in UTF-8.
    std::string name(std::string_view field) const;

    /// A place to come back to.
    struct Mark
    {
        std::size_t offset = 0;
        std::int64_t line_number = 0;
    };
    Mark mark() const
    {
        return {offset_, line_number_};
    }
    void go_back(Mark mark);

    /// Bytes behind the present line.
    std::size_t bytes_left() const
    {
        return text_.size() - std::min(offset_, text_.size());
    }

private:
    std::filesystem::path path_;
    std::string text_;
    std::string_view line_;
    std::size_t offset_ = 0;
    std::int64_t line_number_ = 0;
};

/// Whether text formats and messages can hold `name` as that of a species.
bool is_species_name(std::string_view name);

/// The fields of a line between blanks and tabs.
std::vector<std::string_view> fields_of(std::string_view line);

}  // namespace tessera
