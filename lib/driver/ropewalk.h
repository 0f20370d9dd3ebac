/* Ropewalk's C interface: the virtual GPU for a program that launches kernels itself, such as the Python package.

   Every function may be called by any thread. A function that can fail answers NULL, or a text that says what is wrong;
   that text, and every other text that is handed out, is given back by ropewalk_free. A session that is NULL is the
   process's own: it has the options of the folder that ROPEWALK_RUN names, writes its findings there, and is shared
   with libcuda.so.1. */
#ifndef ROPEWALK_H
#define ROPEWALK_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#define ROPEWALK_API __attribute__((visibility("default")))

/* Raised where a function or a key of the JSON texts changes its meaning; what is new does not raise it. */
#define ROPEWALK_INTERFACE 1

typedef struct ropewalk_session ropewalk_session;
typedef struct ropewalk_module ropewalk_module;

/* The ROPEWALK_INTERFACE that the library was built with. */
ROPEWALK_API int ropewalk_interface(void);

ROPEWALK_API void ropewalk_free(char* text);

/* A session of its own. options: JSON as in options.json, "{}" for the defaults. folder: where PID.jsonl is written, a
   line of JSON for each finding and launch; "": findings are printed on the standard error stream. */
ROPEWALK_API char* ropewalk_open(const char* options, const char* folder, ropewalk_session** session);
/* Writes what is not written yet. Its modules must be unloaded before. */
ROPEWALK_API void ropewalk_close(ropewalk_session* session);
/* The options of a session, as JSON. */
ROPEWALK_API char* ropewalk_options(ropewalk_session* session, char** options);

/* Lets kernels reach memory of this process, at its own address, until it is taken back. written: NULL, or a bit for
   each byte that somebody has written (byte n is bit n % 64 of word n / 64), which launches keep up to date: reading
   another byte is a finding. */
ROPEWALK_API char* ropewalk_lend(ropewalk_session* session, void* data, uint64_t bytes, uint64_t* written);
ROPEWALK_API char* ropewalk_take_back(ropewalk_session* session, const void* data);
/* Memory that kernels could have reached was freed since: using it is a finding, until other memory is lent there. */
ROPEWALK_API char* ropewalk_note_freed(ropewalk_session* session, void* data, uint64_t bytes);
ROPEWALK_API char* ropewalk_forget_freed(ropewalk_session* session, const void* data);

/* Where bytes of memory that the driver gave lie in this process. From now on all of that memory counts as written. */
ROPEWALK_API char* ropewalk_bytes_at(ropewalk_session* session, uint64_t address, uint64_t bytes, void** data);

/* What is known of memory that was filled with 0xFF before the program got it. written: as above, in whole words: of a
   word of the data with a byte that is no longer 0xFF, and that nobody has noted, all bits are set. Whether all of it
   is written now. */
ROPEWALK_API int ropewalk_note_written(const void* data, uint64_t bytes, uint64_t* written);

/* PTX text, with a name for messages. */
ROPEWALK_API char* ropewalk_load(ropewalk_session* session, uint32_t device, const char* ptx, const char* name,
                                 ropewalk_module** module);
ROPEWALK_API void ropewalk_unload(ropewalk_module* module);
/* Of a kernel: {"parameters": bytes of each, "follows_pointers": whether it uses pointers that it finds in memory, for
   which all that they may lead to must be lent}. */
ROPEWALK_API char* ropewalk_kernel(ropewalk_module* module, const char* entry, char** about);

/* Runs a launch to its end:
     {"entry": "kernel", "grid": [4, 1, 1], "block": [128, 1, 1], "shared": 0, "cooperative": false,
      "arguments": [{"name": "x", "bits": 140001, "dtype": "f32", "shape": [4, 8], "strides": [8, 1]},
                    {"name": "n", "bits": 32}],
      "stack": ["forward (model.py:12)", "main (train.py:40)"]}
   bits: the argument's value as an unsigned number; trailing arguments that are missing are zero. dtype, shape and
   strides (in elements), of a pointer, are what the program sees there; device, whose memory it is for the program,
   where that is not the module's. cooperative: whether the grid has a barrier, for which the device must hold all
   blocks at once; where it is missing, the grid has one and nobody counts the blocks. stack: where the launch was made,
   innermost first. answer: NULL, where all is well;
   else {"result": a CUresult, "findings": as in a report, "not_run": why, where it was not}. */
ROPEWALK_API char* ropewalk_launch(ropewalk_module* module, const char* launch, char** answer);
/* Calls of the driver by threads that Python knows are located by source(): "function (file:line)" of each frame,
   innermost first, separated by line feeds, which stay as they are until the thread asks again; or NULL. It is called
   before each of them, without any lock, and may lend what the call is about. NULL: nobody is asked any more. */
ROPEWALK_API void ropewalk_frames_from(const char* (*source)(void));
/* Prints what kernels have printed. */
ROPEWALK_API void ropewalk_synchronize(ropewalk_session* session);
/* Adds a note to the report of `rope-check run`, once for each key. */
ROPEWALK_API void ropewalk_note(ropewalk_session* session, const char* text, const char* key);

#ifdef __cplusplus
}
#endif
#endif
