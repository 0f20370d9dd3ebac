# The commands of a working day. Each does its own set-up. The building itself is CMake's (CMakePresets.json).
.PHONY: build all install demo test test-long bench gpu-test format clean
MAKEFLAGS += --no-print-directory

# Programs, optimised, in build/bin.
build: build/build.ninja
	@cmake --build build --target programs

# Programs and tests.
all: build/build.ninja
	@cmake --build build

build/build.ninja: CMakeLists.txt CMakePresets.json
	@tools/setup/packages.sh
	@cmake --preset default

# Programs, manual pages, completions and the CMake package, under PREFIX (and DESTDIR before it, for packagers).
PREFIX ?= /usr/local
install: build
	@cmake --install build --prefix "$(PREFIX)"

# The founding bug and a correct case, shown on the terminal; leaves build/demo/report.json.
demo: build
	@tools/demo/demo.sh build

test: all
	@ctest --test-dir build --output-on-failure --parallel "$$(nproc)" --label-exclude long

# All tests, then the quick ones under the sanitizers: what a long test adds to them is more of the same, and there ten
# to fifteen times as slow.
test-long: all
	@tools/setup/packages.sh clang-tidy-19
	@ctest --test-dir build --output-on-failure --parallel "$$(nproc)"
	@cmake --preset asan && cmake --build build-asan && \
	  ctest --preset asan --parallel "$$(nproc)"
	@cmake --preset tsan && cmake --build build-tsan && \
	  ctest --preset tsan --parallel "$$(nproc)"

# How fast the machine is here, by kernel and by class of instruction, and beside Oclgrind and numpy.
bench: build
	@tools/setup/packages.sh oclgrind python3-numpy
	@cmake --build build --target peers findings trace_overhead
	@build/bin/rope-check bench
	@build/bench/peers
	@build/bench/findings
	@build/bench/trace_overhead
	@python3 tests/bench/cache_speed.py build/bin/rope-check || [ $$? -eq 77 ]
	@python3 tests/bench/reference_speed.py build/bin/attn-fuzz build/transformers || [ $$? -eq 77 ]

# Holds the GPU of this machine against the checked machine, measures it beside compute-sanitizer, and keeps the figures;
# says so and exits 3 where there is none.
gpu-test: build/build.ninja
	@cmake --build build --target gpu_compare gpu_bench
	@name="tests/gpu/results/$$(date -u +%Y-%m-%dT%H%M%SZ)"; code=0; build/tests/gpu_compare "$$name.json" || code=$$?; \
	  [ $$code -eq 3 ] && exit 3; \
	  python3 tests/gpu/bench.py build/bench/gpu_bench build/compute-sanitizer "$$name-bench.json" || code=$$?; exit $$code

# C++ sources as tests/house/format_test.sh wants them, with Debian 12's clang-format.
format:
	@git ls-files '*.h' '*.cpp' | grep -v '^tests/data/' | xargs clang-format -i

clean:
	@rm -rf build build-asan build-tsan build-debug
