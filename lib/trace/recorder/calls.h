// The driver calls that a trace listens to: CUPTI's numbers for them (cupti_driver_cbid.h), which never change.
#pragma once
#include "lib/trace/recorder/call_parameters.h"

namespace ropewalk::trace {

// What of a call decides how it is read, beside its parameters.
struct CallKind {
  bool per_thread = false;  // the stream 0 means the thread's own default stream
  u32 unit = 1;             // bytes that one count of a memset is
  const char* memory = "";  // what kind of memory an allocation makes
};

// X(name, number, parameters, kind)
#define ROPEWALK_TRACED_CALLS(X)                                        \
  X(cuLaunchKernel, 307, LaunchCall, {})                                \
  X(cuLaunchKernel_ptsz, 442, LaunchCall, {true})                       \
  X(cuLaunchKernelEx, 652, ConfiguredLaunchCall, {})                    \
  X(cuLaunchKernelEx_ptsz, 653, ConfiguredLaunchCall, {true})           \
  X(cuLaunchCooperativeKernel, 477, CooperativeCall, {})                \
  X(cuLaunchCooperativeKernel_ptsz, 478, CooperativeCall, {true})       \
  X(cuGraphLaunch, 514, GraphCall, {})                                  \
  X(cuGraphLaunch_ptsz, 515, GraphCall, {true})                         \
  X(cuMemAlloc_v2, 243, AllocateCall, {false, 1, "device"})             \
  X(cuMemAllocPitch_v2, 244, PitchCall, {false, 1, "device"})           \
  X(cuMemAllocManaged, 371, AllocateCall, {false, 1, "managed"})        \
  X(cuMemAllocAsync, 598, AllocateCall, {false, 1, "pool"})             \
  X(cuMemAllocAsync_ptsz, 599, AllocateCall, {true, 1, "pool"})         \
  X(cuMemAllocFromPoolAsync, 611, AllocateCall, {false, 1, "pool"})     \
  X(cuMemAllocFromPoolAsync_ptsz, 612, AllocateCall, {true, 1, "pool"}) \
  X(cuMemHostAlloc, 39, AllocateCall, {false, 1, "host"})               \
  X(cuMemAllocHost_v2, 294, AllocateCall, {false, 1, "host"})           \
  X(cuMemHostRegister_v2, 379, RegisterCall, {false, 1, "host"})        \
  X(cuMemMap, 551, RegisterCall, {false, 1, "mapped"})                  \
  X(cuMemFree_v2, 245, ReleaseCall, {})                                 \
  X(cuMemFreeAsync, 600, ReleaseCall, {})                               \
  X(cuMemFreeAsync_ptsz, 601, ReleaseCall, {true})                      \
  X(cuMemFreeHost, 38, ReleaseCall, {})                                 \
  X(cuMemHostUnregister, 302, ReleaseCall, {})                          \
  X(cuMemUnmap, 552, UnmapCall, {})                                     \
  X(cuModuleGetGlobal_v2, 241, VariableCall, {false, 1, "variable"})    \
  X(cuModuleLoad, 18, LoadFileCall, {})                                 \
  X(cuModuleLoadData, 19, LoadCall, {})                                 \
  X(cuModuleLoadDataEx, 20, LoadCall, {})                               \
  X(cuModuleLoadFatBinary, 21, LoadCall, {})                            \
  X(cuLibraryLoadData, 678, LoadCall, {})                               \
  X(cuLibraryLoadFromFile, 679, LoadFileCall, {})                       \
  X(cuModuleUnload, 22, UnloadCall, {})                                 \
  X(cuLibraryUnload, 680, UnloadCall, {})                               \
  X(cuStreamCreate, 124, CreateStreamCall, {})                          \
  X(cuStreamCreateWithPriority, 367, CreateStreamCall, {})              \
  X(cuStreamDestroy_v2, 326, DestroyStreamCall, {})                     \
  X(cuStreamSynchronize, 126, StreamCall, {})                           \
  X(cuStreamSynchronize_ptsz, 440, StreamCall, {true})                  \
  X(cuStreamQuery, 125, StreamCall, {})                                 \
  X(cuStreamQuery_ptsz, 439, StreamCall, {true})                        \
  X(cuStreamBeginCapture_v2, 539, CaptureCall, {})                      \
  X(cuStreamBeginCapture_v2_ptsz, 540, CaptureCall, {true})             \
  X(cuStreamBeginCapture, 495, CaptureCall, {})                         \
  X(cuStreamBeginCapture_ptsz, 496, CaptureCall, {true})                \
  X(cuStreamBeginCaptureToGraph, 720, CaptureCall, {})                  \
  X(cuStreamBeginCaptureToGraph_ptsz, 721, CaptureCall, {true})         \
  X(cuStreamEndCapture, 497, EndCaptureCall, {})                        \
  X(cuStreamEndCapture_ptsz, 498, EndCaptureCall, {true})               \
  X(cuCtxSynchronize, 17, ContextCall, {})                              \
  X(cuCtxSynchronize_v2, 800, NamedContextCall, {})                     \
  X(cuEventRecord, 119, RecordEventCall, {})                            \
  X(cuEventRecord_ptsz, 441, RecordEventCall, {true})                   \
  X(cuEventRecordWithFlags, 587, RecordEventCall, {})                   \
  X(cuEventRecordWithFlags_ptsz, 588, RecordEventCall, {true})          \
  X(cuStreamWaitEvent, 295, WaitEventCall, {})                          \
  X(cuStreamWaitEvent_ptsz, 436, WaitEventCall, {true})                 \
  X(cuEventSynchronize, 121, EventCall, {})                             \
  X(cuEventQuery, 120, EventCall, {})                                   \
  X(cuMemcpyHtoD_v2, 276, CopyCall, {})                                 \
  X(cuMemcpyHtoD_v2_ptds, 397, CopyCall, {true})                        \
  X(cuMemcpyDtoH_v2, 278, CopyBackCall, {})                             \
  X(cuMemcpyDtoH_v2_ptds, 398, CopyBackCall, {true})                    \
  X(cuMemcpyDtoD_v2, 280, CopyCall, {})                                 \
  X(cuMemcpyDtoD_v2_ptds, 399, CopyCall, {true})                        \
  X(cuMemcpy, 305, CopyCall, {})                                        \
  X(cuMemcpy_ptds, 408, CopyCall, {true})                               \
  X(cuMemcpyAsync, 306, CopyOnStreamCall, {})                           \
  X(cuMemcpyAsync_ptsz, 418, CopyOnStreamCall, {true})                  \
  X(cuMemcpyHtoDAsync_v2, 277, CopyOnStreamCall, {})                    \
  X(cuMemcpyHtoDAsync_v2_ptsz, 421, CopyOnStreamCall, {true})           \
  X(cuMemcpyDtoHAsync_v2, 279, CopyOnStreamCall, {})                    \
  X(cuMemcpyDtoHAsync_v2_ptsz, 422, CopyOnStreamCall, {true})           \
  X(cuMemcpyDtoDAsync_v2, 281, CopyOnStreamCall, {})                    \
  X(cuMemcpyDtoDAsync_v2_ptsz, 423, CopyOnStreamCall, {true})           \
  X(cuMemsetD8_v2, 249, SetCall, {})                                    \
  X(cuMemsetD8_v2_ptds, 411, SetCall, {true})                           \
  X(cuMemsetD16_v2, 250, SetCall, {false, 2})                           \
  X(cuMemsetD16_v2_ptds, 412, SetCall, {true, 2})                       \
  X(cuMemsetD32_v2, 251, SetCall, {false, 4})                           \
  X(cuMemsetD32_v2_ptds, 413, SetCall, {true, 4})                       \
  X(cuMemsetD8Async, 216, SetOnStreamCall, {})                          \
  X(cuMemsetD8Async_ptsz, 428, SetOnStreamCall, {true})                 \
  X(cuMemsetD16Async, 218, SetOnStreamCall, {false, 2})                 \
  X(cuMemsetD16Async_ptsz, 429, SetOnStreamCall, {true, 2})             \
  X(cuMemsetD32Async, 220, SetOnStreamCall, {false, 4})                 \
  X(cuMemsetD32Async_ptsz, 430, SetOnStreamCall, {true, 4})             \
  X(cuMemcpy2D_v2, 287, OtherCall, {})                                  \
  X(cuMemcpy2DUnaligned_v2, 288, OtherCall, {})                         \
  X(cuMemcpy2DAsync_v2, 289, OtherCall, {})                             \
  X(cuMemcpy2DAsync_v2_ptsz, 424, OtherCall, {true})                    \
  X(cuMemcpy3D_v2, 290, OtherCall, {})                                  \
  X(cuMemcpy3DAsync_v2, 291, OtherCall, {})                             \
  X(cuMemcpyBatchAsync, 776, OtherCall, {})                             \
  X(cuMemcpyBatchAsync_ptsz, 777, OtherCall, {true})                    \
  X(cuMemcpyBatchAsync_v2, 796, OtherCall, {})                          \
  X(cuMemcpyBatchAsync_v2_ptsz, 797, OtherCall, {true})                 \
  X(cuMemcpyPeer, 318, OtherCall, {})                                   \
  X(cuMemcpyPeerAsync, 319, OtherCall, {})                              \
  X(cuLaunchHostFunc, 527, OtherCall, {})

}  // namespace ropewalk::trace
