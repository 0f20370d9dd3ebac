// How rope-check trace tells the injected library what to do, and where it leaves what it saw.
#pragma once

namespace ropewalk::trace {

// Variables of the environment.
inline constexpr char injection_variable[] = "CUDA_INJECTION64_PATH";  // read by the CUDA driver
inline constexpr char folder_variable[] = "ROPEWALK_TRACE_FOLDER";  // where records go: PROCESS.json and what it names
inline constexpr char keep_variable[] = "ROPEWALK_TRACE_KEEP";      // launches that are kept
inline constexpr char serialize_variable[] = "ROPEWALK_TRACE_SERIALIZE";  // "1": wait after every launch
inline constexpr char save_variable[] =
    "ROPEWALK_TRACE_SAVE";                                  // bytes of memory that are saved before a launch; 0: none
inline constexpr char at_variable[] = "ROPEWALK_TRACE_AT";  // the one launch that is saved; 0: each

// The library's name, beside the programs or in the folder lib next to theirs.
inline constexpr char library_name[] = "libropewalk_trace.so";

}  // namespace ropewalk::trace
