// The pages of causes that speak of kernels that write to a KV cache.
#include "lib/finding/cause_info.h"

namespace ropewalk {
namespace {

constexpr const char* touched =
    "Read so, exactly the elements are touched, outside of a tensor or in slots that no token has, that were touched, "
    "or "
    "every element of the cache is as observed.";

}  // namespace

std::vector<CauseInfo> causes_of_cache_stores() {
  return {
      {"padding-slot", "Token of slot -1 stored",
       "Tokens whose slot is -1, which pads a batch, are stored: -1 divided by the page size is page 0, and the token "
       "in it is -1, before its first.",
       touched, "Leave tokens out whose slot is negative, before the slot is divided."},
      {"wrong-page-size", "Slot taken apart with another page size",
       "The page and the token in it are worked out of a slot with a page size that the cache does not have.", touched,
       "slot / page_size is the page and slot % page_size the token in it, with the page size that slot_mapping was "
       "made for; in HND it is dimension 2 of the cache."},
      {"cache-layout", "NHD and HND mixed up",
       "Tokens come first in a page of an NHD cache, heads in one of an HND cache, and it was the other way round.",
       touched, "Pass the strides of a token and of a head in a page, or check the layout before the launch."},
      {"padded-tokens", "Tokens past the end of slot_mapping",
       "Tokens are counted by key and value, which CUDA graphs pad, and slot_mapping has fewer.", touched,
       "Count tokens by slot_mapping."},
      {"cache-scale", "Keys or values with another scale",
       "Numbers are divided by the scale of the other tensor, multiplied by it, or not scaled at all, before they are "
       "rounded to f8e4m3.",
       touched, "Divide keys by k_scale and values by v_scale; whoever reads the cache multiplies."},
      {"fp8-saturation", "Numbers beyond 448 become NaN",
       "The conversion to f8e4m3 does not saturate: it has no infinity, and what is too large is NaN.", touched,
       "Convert with saturation (cvt.rn.satfinite, __NV_SATFINITE)."},
      {"slot-mapping", "Slot past the end, or of two tokens",
       "slot_mapping names a slot that the cache does not have, or one slot for two tokens, and was taken as given.",
       "Exactly the elements of such slots are touched, or all that threads race for are in a slot of two tokens.",
       "Compare slot_mapping with the cache before the launch; a token that has no slot has -1."},
      {"copied-pages", "Pages copied from or to other places",
       "The pages of a pair are mixed up, or a page is written while another pair reads or writes it.",
       "Every element of the cache is as observed, or all that threads race for are in such a page.",
       "copies[n] is read and copies[n + 1] is written; pairs whose pages meet belong in launches of their own."},
  };
}

}  // namespace ropewalk
