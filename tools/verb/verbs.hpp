#pragma once
/// The verbs of the command line, one file each. An add_ function declares its options; when the
/// verb is chosen its callback runs it and stores the exit code:
/// 0 done; 1 failed while running; 2 the input or the command line is wrong; 3 stopped on request
/// with a checkpoint saved. Errors leave as exceptions and main() turns them into 1 or 2.

namespace CLI
{
class App;
}

namespace tessera
{

void add_run(CLI::App& app, int& exit_code);
void add_resume(CLI::App& app, int& exit_code);
void add_validate(CLI::App& app, int& exit_code);
void add_keys(CLI::App& app, int& exit_code);
void add_info(CLI::App& app, int& exit_code);
void add_convert(CLI::App& app, int& exit_code);
void add_tune(CLI::App& app, int& exit_code);
void add_bench(CLI::App& app, int& exit_code);

}  // namespace tessera
