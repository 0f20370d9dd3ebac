// What is declared of CUPTI and of the calls of the driver, compared with the toolkit's headers. What differs does not
// compile.
#include <cuda.h>
#include <cupti.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "lib/gpu/activity_layout.h"
#include "lib/gpu/cupti_api.h"
#include "lib/trace/recorder/calls.h"

namespace ropewalk::trace {
namespace {

namespace cupti = gpu::cupti;

#define NUMBER_IS_RIGHT(NAME, NUMBER, ...) \
  static_assert(CUPTI_DRIVER_TRACE_CBID_##NAME == NUMBER, #NAME " has another number");
ROPEWALK_TRACED_CALLS(NUMBER_IS_RIGHT)

// The call's parameter is where ours says, and as large.
#define SAME(OURS, MEMBER, CALL, THEIRS)                                                                        \
  static_assert(offsetof(OURS, MEMBER) == offsetof(CALL##_params, THEIRS), #CALL ": " #THEIRS " is elsewhere"); \
  static_assert(sizeof(OURS::MEMBER) == sizeof(CALL##_params::THEIRS), #CALL ": " #THEIRS " has another size");
#define SAME_OFFSET(OURS, MEMBER, CALL, THEIRS) \
  static_assert(offsetof(OURS, MEMBER) == offsetof(CALL##_params, THEIRS), #CALL ": " #THEIRS " is elsewhere");

#define SAME_LAUNCH(OURS, CALL)                  \
  SAME(OURS, function, CALL, f)                  \
  SAME_OFFSET(OURS, grid, CALL, gridDimX)        \
  SAME_OFFSET(OURS, block, CALL, blockDimX)      \
  SAME(OURS, shared_bytes, CALL, sharedMemBytes) \
  SAME(OURS, stream, CALL, hStream)              \
  SAME(OURS, parameters, CALL, kernelParams)
SAME_LAUNCH(LaunchCall, cuLaunchKernel)
SAME_LAUNCH(LaunchCall, cuLaunchKernel_ptsz)
SAME(LaunchCall, extra, cuLaunchKernel, extra)
SAME(LaunchCall, extra, cuLaunchKernel_ptsz, extra)
SAME_LAUNCH(CooperativeCall, cuLaunchCooperativeKernel)
SAME_LAUNCH(CooperativeCall, cuLaunchCooperativeKernel_ptsz)

#define SAME_CONFIGURED(CALL)                                \
  SAME(ConfiguredLaunchCall, config, CALL, config)           \
  SAME(ConfiguredLaunchCall, function, CALL, f)              \
  SAME(ConfiguredLaunchCall, parameters, CALL, kernelParams) \
  SAME(ConfiguredLaunchCall, extra, CALL, extra)
SAME_CONFIGURED(cuLaunchKernelEx)
SAME_CONFIGURED(cuLaunchKernelEx_ptsz)
static_assert(offsetof(LaunchConfig, grid) == offsetof(CUlaunchConfig, gridDimX));
static_assert(offsetof(LaunchConfig, block) == offsetof(CUlaunchConfig, blockDimX));
static_assert(offsetof(LaunchConfig, shared_bytes) == offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(LaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));
SAME(GraphCall, stream, cuGraphLaunch, hStream)
SAME(GraphCall, stream, cuGraphLaunch_ptsz, hStream)

#define SAME_ALLOCATION(CALL, ADDRESS)       \
  SAME(AllocateCall, address, CALL, ADDRESS) \
  SAME(AllocateCall, bytes, CALL, bytesize)
SAME_ALLOCATION(cuMemAlloc_v2, dptr)
SAME_ALLOCATION(cuMemAllocManaged, dptr)
SAME_ALLOCATION(cuMemAllocAsync, dptr)
SAME_ALLOCATION(cuMemAllocAsync_ptsz, dptr)
SAME_ALLOCATION(cuMemAllocFromPoolAsync, dptr)
SAME_ALLOCATION(cuMemAllocFromPoolAsync_ptsz, dptr)
SAME_ALLOCATION(cuMemHostAlloc, pp)
SAME_ALLOCATION(cuMemAllocHost_v2, pp)
SAME(PitchCall, address, cuMemAllocPitch_v2, dptr)
SAME(PitchCall, pitch, cuMemAllocPitch_v2, pPitch)
SAME(PitchCall, height, cuMemAllocPitch_v2, Height)
SAME(RegisterCall, address, cuMemHostRegister_v2, p)
SAME(RegisterCall, bytes, cuMemHostRegister_v2, bytesize)
SAME(RegisterCall, address, cuMemMap, ptr)
SAME(RegisterCall, bytes, cuMemMap, size)
SAME(UnmapCall, address, cuMemUnmap, ptr)
SAME(UnmapCall, bytes, cuMemUnmap, size)
SAME(ReleaseCall, address, cuMemFree_v2, dptr)
SAME(ReleaseCall, address, cuMemFreeAsync, dptr)
SAME(ReleaseCall, address, cuMemFreeAsync_ptsz, dptr)
SAME(ReleaseCall, address, cuMemFreeHost, p)
SAME(ReleaseCall, address, cuMemHostUnregister, p)
SAME(VariableCall, address, cuModuleGetGlobal_v2, dptr)
SAME(VariableCall, bytes, cuModuleGetGlobal_v2, bytes)

SAME(LoadCall, module, cuModuleLoadData, module)
SAME(LoadCall, image, cuModuleLoadData, image)
SAME(LoadCall, image, cuModuleLoadDataEx, image)
SAME(LoadCall, image, cuModuleLoadFatBinary, fatCubin)
SAME(LoadCall, module, cuLibraryLoadData, library)
SAME(LoadCall, image, cuLibraryLoadData, code)
SAME(LoadFileCall, path, cuModuleLoad, fname)
SAME(LoadFileCall, path, cuLibraryLoadFromFile, fileName)
SAME(UnloadCall, module, cuModuleUnload, hmod)
SAME(UnloadCall, module, cuLibraryUnload, library)

SAME(CreateStreamCall, stream, cuStreamCreate, phStream)
SAME(CreateStreamCall, flags, cuStreamCreate, Flags)
SAME(CreateStreamCall, flags, cuStreamCreateWithPriority, flags)
SAME(DestroyStreamCall, stream, cuStreamDestroy_v2, hStream)
SAME(StreamCall, stream, cuStreamSynchronize, hStream)
SAME(NamedContextCall, context, cuCtxSynchronize_v2, ctx)
SAME(StreamCall, stream, cuStreamQuery, hStream)
SAME(CaptureCall, stream, cuStreamBeginCapture_v2, hStream)
SAME(CaptureCall, stream, cuStreamBeginCapture, hStream)
SAME(EndCaptureCall, stream, cuStreamEndCapture, hStream)
SAME(RecordEventCall, event, cuEventRecord, hEvent)
SAME(RecordEventCall, stream, cuEventRecord, hStream)
SAME(RecordEventCall, stream, cuEventRecordWithFlags, hStream)
SAME(WaitEventCall, stream, cuStreamWaitEvent, hStream)
SAME(WaitEventCall, event, cuStreamWaitEvent, hEvent)
SAME(EventCall, event, cuEventSynchronize, hEvent)
SAME(EventCall, event, cuEventQuery, hEvent)

#define SAME_COPY(OURS, CALL, TO, FROM) \
  SAME(OURS, to, CALL, TO)              \
  SAME(OURS, from, CALL, FROM)          \
  SAME(OURS, bytes, CALL, ByteCount)
SAME_COPY(CopyCall, cuMemcpyHtoD_v2, dstDevice, srcHost)
SAME_COPY(CopyCall, cuMemcpyDtoD_v2, dstDevice, srcDevice)
SAME_COPY(CopyCall, cuMemcpy, dst, src)
SAME_COPY(CopyBackCall, cuMemcpyDtoH_v2, dstHost, srcDevice)
SAME_COPY(CopyBackCall, cuMemcpyDtoH_v2_ptds, dstHost, srcDevice)
SAME_COPY(CopyOnStreamCall, cuMemcpyAsync, dst, src)
SAME_COPY(CopyOnStreamCall, cuMemcpyHtoDAsync_v2, dstDevice, srcHost)
SAME_COPY(CopyOnStreamCall, cuMemcpyDtoHAsync_v2, dstHost, srcDevice)
SAME_COPY(CopyOnStreamCall, cuMemcpyDtoDAsync_v2, dstDevice, srcDevice)
SAME(CopyOnStreamCall, stream, cuMemcpyDtoDAsync_v2, hStream)
#define SAME_SET(OURS, CALL)      \
  SAME(OURS, to, CALL, dstDevice) \
  SAME(OURS, count, CALL, N)
SAME_SET(SetCall, cuMemsetD8_v2)
SAME_SET(SetCall, cuMemsetD16_v2)
SAME_SET(SetCall, cuMemsetD32_v2)
SAME_SET(SetOnStreamCall, cuMemsetD8Async)
SAME_SET(SetOnStreamCall, cuMemsetD16Async)
SAME_SET(SetOnStreamCall, cuMemsetD32Async)
SAME(SetOnStreamCall, stream, cuMemsetD8Async, hStream)
SAME(SetOnStreamCall, stream, cuMemsetD32Async, hStream)

// CUPTI itself.
#define SAME_DATA(OURS, THEIRS)                                                               \
  static_assert(offsetof(cupti::CallbackData, OURS) == offsetof(CUpti_CallbackData, THEIRS)); \
  static_assert(sizeof(cupti::CallbackData::OURS) == sizeof(CUpti_CallbackData::THEIRS));
SAME_DATA(site, callbackSite)
SAME_DATA(function, functionName)
SAME_DATA(parameters, functionParams)
SAME_DATA(result, functionReturnValue)
SAME_DATA(symbol, symbolName)
SAME_DATA(context, context)
SAME_DATA(context_id, contextUid)
SAME_DATA(kept, correlationData)
SAME_DATA(correlation, correlationId)
static_assert(sizeof(cupti::CallbackData) == sizeof(CUpti_CallbackData));
static_assert(cupti::success == CUPTI_SUCCESS && cupti::no_more_records == CUPTI_ERROR_MAX_LIMIT_REACHED);
static_assert(cupti::multiple_subscribers == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
static_assert(cupti::driver_domain == CUPTI_CB_DOMAIN_DRIVER_API);
static_assert(cupti::enter_site == CUPTI_API_ENTER && cupti::leave_site == CUPTI_API_EXIT);

// Activity records of kernels, in every version that the headers tell of.
#define SAME_KERNEL(OURS, RECORD)                                                               \
  static_assert(offsetof(OURS, registers) == offsetof(RECORD, registersPerThread));             \
  static_assert(offsetof(OURS, start) == offsetof(RECORD, start));                              \
  static_assert(offsetof(OURS, end) == offsetof(RECORD, end));                                  \
  static_assert(offsetof(OURS, device) == offsetof(RECORD, deviceId));                          \
  static_assert(offsetof(OURS, context) == offsetof(RECORD, contextId));                        \
  static_assert(offsetof(OURS, stream) == offsetof(RECORD, streamId));                          \
  static_assert(offsetof(OURS, grid) == offsetof(RECORD, gridX));                               \
  static_assert(offsetof(OURS, block) == offsetof(RECORD, blockX));                             \
  static_assert(offsetof(OURS, static_shared_bytes) == offsetof(RECORD, staticSharedMemory));   \
  static_assert(offsetof(OURS, dynamic_shared_bytes) == offsetof(RECORD, dynamicSharedMemory)); \
  static_assert(offsetof(OURS, local_bytes) == offsetof(RECORD, localMemoryPerThread));         \
  static_assert(offsetof(OURS, correlation) == offsetof(RECORD, correlationId));                \
  static_assert(offsetof(OURS, name) == offsetof(RECORD, name));                                \
  static_assert(sizeof(OURS) <= sizeof(RECORD));
using cupti::KernelRecord;
SAME_KERNEL(KernelRecord, CUpti_ActivityKernel3)
SAME_KERNEL(KernelRecord, CUpti_ActivityKernel4)
SAME_KERNEL(KernelRecord, CUpti_ActivityKernel5)
SAME_KERNEL(KernelRecord, CUpti_ActivityKernel6)
SAME_KERNEL(KernelRecord, CUpti_ActivityKernel7)
SAME_KERNEL(KernelRecord, CUpti_ActivityKernel8)
SAME_KERNEL(KernelRecord, CUpti_ActivityKernel9)
SAME_KERNEL(KernelRecord, CUpti_ActivityKernel10)
static_assert(cupti::concurrent_kernel_activity == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
static_assert(cupti::flush_forced == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);

// "cuMemAlloc" and 2 of cuMemAlloc_v2; of a thread's own stream apart, as those are calls of their own.
std::pair<std::string, u32> call_and_version(const std::string& name) {
  static const std::regex parts("(\\w+?)(?:_v(\\d+))?(_pt[ds][sz])?");
  std::smatch match;
  if (!std::regex_match(name, match, parts)) return {name, 1};
  return {match[1].str() + match[3].str(), match[2].matched ? u32(std::stoul(match[2])) : 1};
}

// A runtime calls the newest version of a call that the driver has: one that is not listed is not seen.
TEST(Layouts, TheNewestVersionOfEachCallIsListed) {
  std::map<std::string, u32> newest_listed;
  const auto listed = [&](const char* name) {
    const auto [call, version] = call_and_version(name);
    newest_listed[call] = std::max(newest_listed[call], version);
  };
#define LISTED(NAME, ...) listed(#NAME);
  ROPEWALK_TRACED_CALLS(LISTED)
  std::ifstream header(ROPEWALK_CUPTI_HEADERS "/generated_cuda_meta.h");
  static const std::regex line_of_call("typedef struct (\\w+)_params_st .*");
  u32 calls = 0;
  std::smatch match;
  for (std::string line; std::getline(header, line);) {
    if (!std::regex_match(line, match, line_of_call)) continue;
    const auto [call, version] = call_and_version(match[1]);
    const auto known = newest_listed.find(call);
    if (known == newest_listed.end()) continue;
    EXPECT_LE(version, known->second) << match[1] << " is not listed";
    ++calls;
  }
  EXPECT_GE(calls, newest_listed.size());
}

TEST(Layouts, AreThoseOfTheHeaders) {
  // Everything above is decided by the compiler; the headers are those of a version that has all of it.
  EXPECT_GE(CUPTI_API_VERSION, 130000);
  EXPECT_EQ(sizeof(KernelRecord::kind), sizeof(CUpti_ActivityKind));
}

}  // namespace
}  // namespace ropewalk::trace
