#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

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

private:
    std::filesystem::path path_;
    std::string text_;
    std::string_view line_;
    std::size_t offset_ = 0;
    std::int64_t line_number_ = 0;
};

/// The fields of a line between blanks and tabs.
std::vector<std::string_view> fields_of(std::string_view line);

}  // namespace tessera
