#include "lib/ptx/matrix_forms.h"

#include "lib/ptx/instruction_table.h"

namespace ropewalk::ptx {

namespace {

std::string shape_name(const MatrixRow& row) {
  return "m" + std::to_string(row.rows) + "n8k" + std::to_string(row.depth);
}

// The elements of a pair, each once.
std::vector<MatrixElement> choices(const std::array<MatrixElement, 2>& pair) {
  return {pair.begin(), pair[0] == pair[1] ? pair.begin() + 1 : pair.end()};
}

bool has(const std::array<MatrixElement, 2>& pair, MatrixElement element) {
  return pair[0] == element || pair[1] == element;
}

std::optional<MatrixElement> element_named(std::string_view name) {
  for (u8 n = 0; n <= u8(MatrixElement::S32); ++n) {
    if (facts_of(MatrixElement(n)).name == name) return MatrixElement(n);
  }
  return {};
}

}  // namespace

std::vector<MatrixForm> matrix_forms() {
  std::vector<MatrixForm> out;
  for (u8 row = 0; row < matrix_rows.size(); ++row) {
    const MatrixRow& shape = matrix_rows[row];
    for (const MatrixElement sum : choices(shape.sums)) {
      for (const MatrixElement a : choices(shape.factors)) {
        for (const MatrixElement b : choices(shape.factors)) {
          out.push_back({row, a, b, sum, false});
          if (shape.is_integer()) out.push_back({row, a, b, sum, true});
        }
      }
    }
  }
  return out;
}

std::string opcode_of(const MatrixForm& form) {
  std::string text = "mma.sync.aligned." + shape_name(form.shape()) + ".row.col";
  if (form.saturates) text += ".satfinite";
  for (const MatrixElement element : {form.sum, form.a, form.b, form.sum}) {
    text += ".";
    text += facts_of(element).name;
  }
  return text;
}

// Modifiers may come in any order but for those of one kind: elements are those of d, a, b, c, and layouts of a and b.
std::optional<MatrixForm> matrix_form(const Opcode& opcode) {
  if (opcode.op != "mma"_op || !opcode.has("sync") || !opcode.has("aligned")) return {};
  MatrixForm form;
  std::vector<MatrixElement> elements;
  std::string shape, layouts;
  bool is_rounded = false;
  for (const std::string& modifier : opcode.modifiers) {
    if (const auto element = element_named(modifier)) {
      elements.push_back(*element);
    } else if (modifier == "row" || modifier == "col") {
      layouts += modifier;
    } else if (modifier == "satfinite") {
      form.saturates = true;
    } else if (modifier == "rn") {
      is_rounded = true;
    } else if (modifier != "sync" && modifier != "aligned") {
      shape += modifier;
    }
  }
  if (layouts != "rowcol" || elements.size() != 4 || elements[0] != elements[3]) return {};
  form.sum = elements[0];
  form.a = elements[1];
  form.b = elements[2];
  if (is_rounded && form.sum != MatrixElement::F64) return {};
  for (; form.row < matrix_rows.size(); ++form.row) {
    const MatrixRow& row = form.shape();
    const bool fits = has(row.factors, form.a) && has(row.factors, form.b) && has(row.sums, form.sum);
    if (fits && shape == shape_name(row) && (row.is_integer() || !form.saturates)) return form;
  }
  return {};
}

}  // namespace ropewalk::ptx
