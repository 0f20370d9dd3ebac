// Files that stand beside this program, in a build tree or an installation.
#pragma once
#include <filesystem>
#include <initializer_list>

namespace ropewalk {

// The folder of the program that runs.
std::filesystem::path program_folder();
// The first of these folders, as seen from the program's, that has a file of the name, or else the folder of a wheel's
// libraries that has one; empty where none has.
std::filesystem::path folder_beside_program(std::initializer_list<const char*> folders, const char* file);

}  // namespace ropewalk
