#include "lib/rope/stream.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "lib/base/cores.h"
#include "lib/rope/stream_block.h"

namespace ropewalk::rope {
namespace {

// Blocks that a thread takes at a time: their pages are given back when they were read, so that a file larger than
// memory does not fill it.
constexpr i64 blocks_a_piece = 16;
// Rows with wrong values are looked at one by one up to this many a piece; the values of others are only counted.
constexpr i64 looked_at_a_piece = 1 << 11;

// A piece of a run: neighbouring rows of all planes.
struct Piece {
  i64 row = 0, rows = 0, position = 0;
};

// What one thread found in one piece.
struct PieceVerdict {
  i64 wrong = 0, wrong_rows = 0;
  std::vector<i64> wrong_by_plane;
  std::optional<WrongValue> first, worst;
};

double excess(const WrongValue& value) {
  const double error = std::abs(value.got - value.expected);
  return std::isnan(error) ? INFINITY : error - value.bound;
}

bool is_before(const WrongValue& a, const WrongValue& b) {
  return a.row != b.row ? a.row < b.row : a.plane != b.plane ? a.plane < b.plane : a.column < b.column;
}

void keep(std::optional<WrongValue>& first, std::optional<WrongValue>& worst, const WrongValue& value) {
  if (!first || is_before(value, *first)) first = value;
  if (!worst || excess(value) > excess(*worst) || (excess(value) == excess(*worst) && is_before(value, *worst))) {
    worst = value;
  }
}

class Streamer {
 public:
  Streamer(const CacheTable& table, const reference::RopeFrequencies& frequencies, const Rounding& rounding,
           StreamVerdict& verdict)
      : table_(table), frequencies_(frequencies), bounds_(frequencies, rounding), verdict_(verdict) {}

  void judge(const Piece& piece, PieceVerdict& out) const {
    out.wrong_by_plane.assign(table_.planes.size(), 0);
    std::vector<i64> row_wrong(size_t(piece.rows), 0);
    i64 looked = 0;
    for (size_t p = 0; p < table_.planes.size(); ++p) {
      const Plane& plane = table_.planes[p];
      StreamColumns columns = columns_of(plane);
      std::vector<i64> wrong(rows_a_block);
      for (i64 done = 0; done < piece.rows; done += rows_a_block) {
        const i64 rows = std::min(rows_a_block, piece.rows - done), row = piece.row + done;
        const i64 position = piece.position + done;
        start_at(plane, double(position), columns);
        stream_block(at(plane, row), plane.dtype, rows, double(position), columns, wrong.data());
        for (i64 n = 0; n < rows; ++n) {
          if (!wrong[size_t(n)]) continue;
          out.wrong += wrong[size_t(n)];
          out.wrong_by_plane[p] += wrong[size_t(n)];
          row_wrong[size_t(done + n)] = 1;
          if (looked++ < looked_at_a_piece) look_at(p, row + n, position + n, out);
        }
      }
      give_back(plane, piece);
    }
    for (i64 n = 0; n < piece.rows; ++n) {
      if (!row_wrong[size_t(n)]) continue;
      ++out.wrong_rows;
      const i64 row = piece.row + n;
      __atomic_fetch_or(&verdict_.row_is_wrong[size_t(row / 64)], u64(1) << (row % 64), __ATOMIC_RELAXED);
    }
  }

 private:
  static const std::byte* at(const Plane& plane, i64 row) {
    return plane.start + row * plane.columns * i64(size_of(plane.dtype));
  }

  StreamColumns columns_of(const Plane& plane) const {
    StreamColumns columns;
    if (plane.layout == ColumnLayout::RepeatedHalf) columns.parts = RowParts::Twice;
    if (plane.layout == ColumnLayout::CosSinHalves) columns.parts = RowParts::TwoFunctions;
    const size_t width = size_t(columns.parts == RowParts::One ? plane.columns : plane.pairs());
    for (auto* list : {&columns.value, &columns.quarter, &columns.step_cos, &columns.step_sin, &columns.slope}) {
      list->resize(width);
    }
    // Of a plane with both functions they have one dtype.
    const reference::RopeBound& bound = bounds_.of(plane.trig);
    for (size_t k = 0; k < width; ++k) {
      const i64 pair = plane.pair_of(i64(k));
      const double step = frequencies_.frequency[size_t(pair)];
      columns.step_cos[k] = std::cos(step);
      columns.step_sin[k] = std::sin(step);
      columns.slope[k] = bound.angle[size_t(pair)];
    }
    // 2^-40: the recurrence itself, 1024 steps of less than 4 roundings of 2^-53 each.
    columns.constant = bound.constant + bound.attention * 0x1p-40;
    columns.relative = bound.relative;
    columns.largest = 2 * bound.attention;
    return columns;
  }

  void start_at(const Plane& plane, double position, StreamColumns& columns) const {
    const double attention = frequencies_.attention;
    const i64 pairs = plane.pairs();
    std::vector<double> cosine(static_cast<size_t>(pairs)), sine(static_cast<size_t>(pairs));
    for (i64 pair = 0; pair < pairs; ++pair) {
      const double angle = position * frequencies_.frequency[size_t(pair)];
      cosine[size_t(pair)] = attention * std::cos(angle);
      sine[size_t(pair)] = attention * std::sin(angle);
    }
    for (size_t k = 0; k < columns.value.size(); ++k) {
      const size_t pair = size_t(plane.pair_of(i64(k)));
      const bool is_cos = plane.trig_of(i64(k)) == Trig::Cos;
      columns.value[k] = is_cos ? cosine[pair] : sine[pair];
      columns.quarter[k] = is_cos ? sine[pair] : -cosine[pair];
    }
  }

  void look_at(size_t p, i64 row, i64 position, PieceVerdict& out) const {
    const Plane& plane = table_.planes[p];
    for (i64 column = 0; column < plane.columns; ++column) {
      const i64 pair = plane.pair_of(column);
      const double angle = double(position) * frequencies_.frequency[size_t(pair)];
      const double function = plane.trig_of(column) == Trig::Cos ? std::cos(angle) : std::sin(angle);
      const double expected = frequencies_.attention * function, got = plane.at(row, column);
      const double bound = bounds_.of(plane.trig).at(pair, double(position), expected);
      if (std::abs(got - expected) <= bound) continue;
      keep(out.first, out.worst, {p, row, column, position, got, expected, bound});
    }
  }

  // Mapped pages that were read are dropped; the file has them still. Memory that is not mapped from a file must stay.
  void give_back(const Plane& plane, const Piece& piece) const {
    if (!plane.mapped) return;
    const u64 page = u64(::sysconf(_SC_PAGESIZE));
    const u64 begin = reinterpret_cast<u64>(at(plane, piece.row)) / page * page;
    const u64 end = reinterpret_cast<u64>(at(plane, piece.row + piece.rows)) / page * page;
    if (end > begin) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }

  const CacheTable& table_;
  const reference::RopeFrequencies& frequencies_;
  const RopeBounds bounds_;
  StreamVerdict& verdict_;
};

std::vector<Piece> pieces_of(const PositionRuns& runs) {
  std::vector<Piece> pieces;
  for (const PositionRun& run : runs) {
    for (i64 done = 0; done < run.rows; done += blocks_a_piece * rows_a_block) {
      pieces.push_back(
          {run.first_row + done, std::min(blocks_a_piece * rows_a_block, run.rows - done), run.first_position + done});
    }
  }
  return pieces;
}

}  // namespace

StreamVerdict stream_table(const CacheTable& table, const reference::RopeFrequencies& frequencies,
                           const Rounding& rounding, const PositionRuns& runs, u32 threads) {
  StreamVerdict verdict;
  verdict.row_is_wrong.assign(size_t(table.rows + 63) / 64, 0);
  verdict.wrong_by_plane.assign(table.planes.size(), 0);
  const std::vector<Piece> pieces = pieces_of(runs);
  std::vector<PieceVerdict> found(pieces.size());
  const Streamer streamer(table, frequencies, rounding, verdict);
  std::atomic<size_t> next = 0;
  on_workers(u32(std::min<size_t>(threads, pieces.size())), [&](u32) {
    for (size_t n = next++; n < pieces.size(); n = next++) streamer.judge(pieces[n], found[n]);
  });
  for (const Plane& plane : table.planes) verdict.values += plane.rows * plane.columns;
  for (const PieceVerdict& piece : found) {
    verdict.wrong += piece.wrong;
    verdict.wrong_rows += piece.wrong_rows;
    for (size_t p = 0; p < table.planes.size(); ++p) verdict.wrong_by_plane[p] += piece.wrong_by_plane[p];
    if (piece.first) keep(verdict.first, verdict.worst, *piece.first);
    if (piece.worst) keep(verdict.first, verdict.worst, *piece.worst);
  }
  return verdict;
}

}  // namespace ropewalk::rope
