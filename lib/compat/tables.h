// What ships with the suite as text: tables, as JSON, and a script for Python.
#pragma once

namespace ropewalk::compat {

// flash-attn's functions, version by version (schema ropewalk.signatures/1).
const char* flash_attn_table();
// TransformerEngine's calls of them, release by release (schema ropewalk.callers/1).
const char* transformer_engine_table();
// Prints the syntax trees of Python sources as JSON (lib/compat/python/read_ast.py).
const char* read_ast_script();

}  // namespace ropewalk::compat
