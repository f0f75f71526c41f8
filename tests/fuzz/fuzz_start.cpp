/// A start file in text: extended XYZ or LAMMPS data, as START_EXTENSION says (.xyz, .data), read,
/// held against its input, completed and checked for overlaps as `run` does.

#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/start_input.hpp"

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    static std::filesystem::path const path = fuzz::scratch("start" START_EXTENSION);
    static fuzz::StartInputs const inputs(path);
    fuzz::write_file(path, fuzz::text_of(data, size));
    inputs.start(size % 2 == 0 ? fuzz::Says::little : fuzz::Says::much, size);
    return 0;
}
