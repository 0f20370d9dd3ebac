// The tables that ship with the suite, as JSON text.
#pragma once

namespace ropewalk {

// flash-attn's private functions, version by version (schema ropewalk.signatures/1).
const char* flash_attn_table();
// TransformerEngine's calls of them, release by release (schema ropewalk.callers/1).
const char* transformer_engine_table();

}  // namespace ropewalk
