// Options of `attn-fuzz compat`: a provider's functions and a caller's calls.
#pragma once
#include <string>

namespace ropewalk::tools {

struct CompatOptions {
  std::string provider;          // "flash-attn==2.6.3", or a path
  std::string caller;            // "transformer-engine==1.13", or a path
  std::string provider_version;  // of sources that do not say it; empty: not given
};

}  // namespace ropewalk::tools
