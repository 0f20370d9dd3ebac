// What a launch would touch of a tensor if it took another layout for it, compared with what its findings say.
#pragma once
#include <string>
#include <vector>

#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// How a kernel may have gone through a tensor.
struct Walk {
  Shape shape;
  Strides strides;
  i64 first_column = 0, last_column = 0;  // half-open; the part of each row that is touched
  std::vector<i64> rows;                  // that are touched, by number (all dimensions but the last); empty: all
  bool before = false;                    // rows of negative numbers are touched as well
};

// The elements that footprints have for offsets of a tensor's storage.
class FootprintElements {
 public:
  explicit FootprintElements(const LaunchTensor& tensor);
  // Of gaps the one before them. `inside`: it is one.
  i64 at(i64 offset, bool* inside) const;

 private:
  const LaunchTensor& tensor_;
  Strides dense_;
  i64 span_;
};

// Elements in the words of a footprint, sorted and unique.
struct Prediction {
  std::vector<i64> strays;     // outside of the tensor's own elements or of its regions
  std::vector<i64> untouched;  // its own in those columns that the walk leaves out
  std::vector<i64> offsets;    // all that is touched, from the storage's start; sorted, unique
};
Prediction predict(const LaunchTensor& tensor, const Walk& walk);
// The same where what is touched begins at these offsets of the storage.
Prediction predict(const LaunchTensor& tensor, std::vector<i64> offsets);

// All that the launch's findings say of a tensor.
struct Seen {
  std::vector<i64> strays;
  std::vector<i64> unwritten;
  std::vector<i64> offsets;  // where the first access of each finding begins: footprints tell no elements in gaps apart
  bool complete = true;
};
Seen seen_of(const LaunchTensor& tensor, const Scene& scene);

// An access outside of the tensor, or of its regions.
bool is_stray(const Finding& finding);

// Whether the walk touches outside of the tensor exactly what was touched there, and leaves out what was not written.
bool explains(const Prediction& prediction, const Seen& seen);

}  // namespace ropewalk::diagnose
