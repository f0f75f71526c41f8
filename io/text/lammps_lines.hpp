#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/input.hpp"

namespace tessera
{

/// The lines of a LAMMPS data file that hold more than blanks and a comment.
class LammpsLines
{
public:
    explicit LammpsLines(std::filesystem::path const& path) : input_(path)
    {
        input_.require_line("a title");
    }

    /// Steps to the next such line; false at the end.
    bool step()
    {
        while (input_.next_line())
        {
            std::string_view const line = input_.line();
            std::size_t const hash = std::min(line.find('#'), line.size());
            fields_ = fields_of(line.substr(0, hash));
            comment_ = fields_of(line.substr(std::min(hash + 1, line.size())));
            if (!fields_.empty())
            {
                return true;
            }
        }
        return false;
    }

    /// The same where there must be one; `expected` says what it holds.
    void require(std::string_view expected)
    {
        if (!step())
        {
            input_.fail("the file ends here, but " + std::string(expected) + " should follow.");
        }
    }

    /// Fails unless the line has `count` fields, which are `what`.
    void expect_fields(std::size_t count, std::string_view what) const
    {
        if (fields_.size() != count)
        {
            input_.fail(std::string(what) + " are expected on this line.");
        }
    }

    /// A number above 0 with its digits.
    StatedNumber positive(std::string_view field, std::string_view what) const
    {
        StatedNumber const number = input_.stated_number(field, what);
        if (number.value <= 0.0)
        {
            input_.fail(std::string(what) + " must be above 0.");
        }
        return number;
    }

    /// Of the present line, without and after its comment sign.
    std::vector<std::string_view> const& fields() const
    {
        return fields_;
    }
    std::vector<std::string_view> const& comment() const
    {
        return comment_;
    }
    TextInput const& input() const
    {
        return input_;
    }

private:
    TextInput input_;
    std::vector<std::string_view> fields_, comment_;
};

/// The 0-based type that a field names, by number or by label; fails on others.
using TypeOf = std::function<std::size_t(std::string_view field)>;

}  // namespace tessera
