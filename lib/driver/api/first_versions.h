// From which version of CUDA on the driver has a function, of those that are newer than version 9.
#pragma once
#include <string_view>

namespace ropewalk::driver {

struct Newer {
  int version;
  std::string_view names;  // each with a space behind it
};
constexpr Newer newer_functions[] = {
    {10000,
     "cuDestroyExternalMemory cuDestroyExternalSemaphore cuDeviceGetLuid cuExternalMemoryGetMappedBuffer "
     "cuExternalMemoryGetMappedMipmappedArray cuGraphAddChildGraphNode cuGraphAddDependencies "
     "cuGraphAddEmptyNode cuGraphAddHostNode cuGraphAddKernelNode cuGraphAddMemcpyNode cuGraphAddMemsetNode "
     "cuGraphChildGraphNodeGetGraph cuGraphClone cuGraphCreate cuGraphDestroy cuGraphDestroyNode "
     "cuGraphExecDestroy cuGraphGetEdges cuGraphGetNodes cuGraphGetRootNodes cuGraphHostNodeGetParams "
     "cuGraphHostNodeSetParams cuGraphInstantiate cuGraphKernelNodeGetParams cuGraphKernelNodeSetParams "
     "cuGraphLaunch cuGraphMemcpyNodeGetParams cuGraphMemcpyNodeSetParams cuGraphMemsetNodeGetParams "
     "cuGraphMemsetNodeSetParams cuGraphNodeFindInClone cuGraphNodeGetDependencies "
     "cuGraphNodeGetDependentNodes cuGraphNodeGetType cuGraphRemoveDependencies cuImportExternalMemory "
     "cuImportExternalSemaphore cuLaunchHostFunc cuSignalExternalSemaphoresAsync cuStreamBeginCapture "
     "cuStreamEndCapture cuStreamIsCapturing cuWaitExternalSemaphoresAsync "},
    {10010, "cuGraphExecKernelNodeSetParams cuStreamGetCaptureInfo cuThreadExchangeStreamCaptureMode "},
    {10020,
     "cuDeviceGetNvSciSyncAttributes cuGraphExecHostNodeSetParams cuGraphExecMemcpyNodeSetParams "
     "cuGraphExecMemsetNodeSetParams cuGraphExecUpdate cuMemAddressFree cuMemAddressReserve cuMemCreate "
     "cuMemExportToShareableHandle cuMemGetAccess cuMemGetAllocationGranularity "
     "cuMemGetAllocationPropertiesFromHandle cuMemImportFromShareableHandle cuMemMap cuMemRelease "
     "cuMemSetAccess cuMemUnmap cuOccupancyAvailableDynamicSMemPerBlock "},
    {11000,
     "cuCtxResetPersistingL2Cache cuFuncGetModule cuGraphKernelNodeCopyAttributes "
     "cuGraphKernelNodeGetAttribute cuGraphKernelNodeSetAttribute cuMemRetainAllocationHandle "
     "cuStreamCopyAttributes cuStreamGetAttribute cuStreamSetAttribute "},
    {11010,
     "cuArrayGetSparseProperties cuDeviceGetTexture1DLinearMaxWidth cuEventRecordWithFlags "
     "cuGraphAddEventRecordNode cuGraphAddEventWaitNode cuGraphEventRecordNodeGetEvent "
     "cuGraphEventRecordNodeSetEvent cuGraphEventWaitNodeGetEvent cuGraphEventWaitNodeSetEvent "
     "cuGraphExecChildGraphNodeSetParams cuGraphExecEventRecordNodeSetEvent cuGraphExecEventWaitNodeSetEvent "
     "cuGraphUpload cuMemMapArrayAsync cuMipmappedArrayGetSparseProperties "},
    {11020,
     "cuArrayGetPlane cuDeviceGetDefaultMemPool cuDeviceGetMemPool cuDeviceSetMemPool "
     "cuGraphAddExternalSemaphoresSignalNode cuGraphAddExternalSemaphoresWaitNode "
     "cuGraphExecExternalSemaphoresSignalNodeSetParams cuGraphExecExternalSemaphoresWaitNodeSetParams "
     "cuGraphExternalSemaphoresSignalNodeGetParams cuGraphExternalSemaphoresSignalNodeSetParams "
     "cuGraphExternalSemaphoresWaitNodeGetParams cuGraphExternalSemaphoresWaitNodeSetParams cuMemAllocAsync "
     "cuMemAllocFromPoolAsync cuMemFreeAsync cuMemPoolCreate cuMemPoolDestroy cuMemPoolExportPointer "
     "cuMemPoolExportToShareableHandle cuMemPoolGetAccess cuMemPoolGetAttribute "
     "cuMemPoolImportFromShareableHandle cuMemPoolImportPointer cuMemPoolSetAccess cuMemPoolSetAttribute "
     "cuMemPoolTrimTo "},
    {11030,
     "cuFlushGPUDirectRDMAWrites cuGetProcAddress cuGraphDebugDotPrint cuGraphReleaseUserObject "
     "cuGraphRetainUserObject cuStreamUpdateCaptureDependencies cuUserObjectCreate cuUserObjectRelease "
     "cuUserObjectRetain "},
    {11040,
     "cuCtxGetExecAffinity cuDeviceGetExecAffinitySupport cuDeviceGetGraphMemAttribute cuDeviceGraphMemTrim "
     "cuDeviceSetGraphMemAttribute cuGraphAddMemAllocNode cuGraphAddMemFreeNode cuGraphInstantiateWithFlags "
     "cuGraphMemAllocNodeGetParams cuGraphMemFreeNodeGetParams "},
    {11060,
     "cuArrayGetMemoryRequirements cuGraphNodeGetEnabled cuGraphNodeSetEnabled cuLaunchKernelEx "
     "cuMipmappedArrayGetMemoryRequirements "},
    {11070,
     "cuGraphAddBatchMemOpNode cuGraphBatchMemOpNodeGetParams cuGraphBatchMemOpNodeSetParams "
     "cuGraphExecBatchMemOpNodeSetParams cuMemGetHandleForAddressRange cuModuleGetLoadingMode "
     "cuOccupancyMaxActiveClusters cuOccupancyMaxPotentialClusterSize "},
    {12000,
     "cuCtxGetId cuGraphExecGetFlags cuGraphInstantiateWithParams cuKernelGetAttribute cuKernelGetFunction "
     "cuKernelSetAttribute cuKernelSetCacheConfig cuLibraryGetGlobal cuLibraryGetKernel cuLibraryGetManaged "
     "cuLibraryGetModule cuLibraryGetUnifiedFunction cuLibraryLoadData cuLibraryLoadFromFile cuLibraryUnload "
     "cuStreamGetId cuTensorMapEncodeIm2col cuTensorMapEncodeTiled cuTensorMapReplaceAddress "},
    {12010,
     "cuCoredumpGetAttribute cuCoredumpGetAttributeGlobal cuCoredumpSetAttribute cuCoredumpSetAttributeGlobal "
     "cuCtxSetFlags cuMulticastAddDevice cuMulticastBindAddr cuMulticastBindMem cuMulticastCreate "
     "cuMulticastGetGranularity cuMulticastUnbind "},
    {12020, "cuGraphAddNode cuGraphExecNodeSetParams cuGraphNodeSetParams "},
    {12030, "cuFuncGetName cuGraphConditionalHandleCreate cuKernelGetName cuStreamBeginCaptureToGraph "},
    {12040,
     "cuCtxFromGreenCtx cuCtxGetDevResource cuDevResourceGenerateDesc cuDevSmResourceSplitByCount "
     "cuDeviceGetDevResource cuDeviceRegisterAsyncNotification cuDeviceUnregisterAsyncNotification "
     "cuFuncGetParamInfo cuFuncIsLoaded cuFuncLoad cuGreenCtxCreate cuGreenCtxDestroy cuGreenCtxGetDevResource "
     "cuGreenCtxRecordEvent cuGreenCtxWaitEvent cuKernelGetParamInfo cuLibraryEnumerateKernels "
     "cuLibraryGetKernelCount cuModuleEnumerateFunctions cuModuleGetFunctionCount cuStreamGetGreenCtx "},
    {12050, "cuCtxRecordEvent cuCtxWaitEvent cuGreenCtxStreamCreate cuKernelGetLibrary "},
    {12060, "cuMemBatchDecompressAsync "},
    {12080,
     "cuCheckpointProcessCheckpoint cuCheckpointProcessGetRestoreThreadId cuCheckpointProcessGetState "
     "cuCheckpointProcessLock cuCheckpointProcessRestore cuCheckpointProcessUnlock cuMemcpy3DBatchAsync "
     "cuMemcpyBatchAsync cuStreamGetDevice cuTensorMapEncodeIm2colWide "},
    {12090,
     "cuGreenCtxGetId cuLogsCurrent cuLogsDumpToFile cuLogsDumpToMemory cuLogsRegisterCallback "
     "cuLogsUnregisterCallback "},
    {13000,
     "cuDeviceGetHostAtomicCapabilities cuDeviceGetP2PAtomicCapabilities cuMemDiscardAndPrefetchBatchAsync "
     "cuMemDiscardBatchAsync cuMemGetDefaultMemPool cuMemGetMemPool cuMemPrefetchBatchAsync cuMemSetMemPool "},
};

// 0: a function that is as old as all versions that count, or none.
constexpr int first_version_of(std::string_view name) {
  for (const Newer& one : newer_functions) {
    for (std::size_t at = one.names.find(name); at != std::string_view::npos; at = one.names.find(name, at + 1)) {
      if ((at == 0 || one.names[at - 1] == ' ') && one.names[at + name.size()] == ' ') return one.version;
    }
  }
  return 0;
}

}  // namespace ropewalk::driver
