// The functions that are not there: those that CUDA 12 and 13 have besides. They answer "not supported", and the report
// lists those that were called.
#include "lib/driver/runtime/call.h"

// clang-format off
#define ROPEWALK_NOT_THERE(X)                                                                                         \
    X(__cudaGetProcAddress) X(__cudaRegisterHostVar) X(__cudaRegisterUnifiedTable) X(cudaArrayGetInfo)                \
    X(cudaArrayGetMemoryRequirements) X(cudaArrayGetPlane) X(cudaArrayGetSparseProperties) X(cudaCreateSurfaceObject) \
    X(cudaCreateTextureObject) X(cudaDestroyExternalMemory) X(cudaDestroyExternalSemaphore)                           \
    X(cudaDestroySurfaceObject) X(cudaDestroyTextureObject) X(cudaDeviceFlushGPUDirectRDMAWrites)                     \
    X(cudaDeviceGetHostAtomicCapabilities) X(cudaDeviceGetNvSciSyncAttributes) X(cudaDeviceGetP2PAtomicCapabilities)  \
    X(cudaDeviceGetTexture1DLinearMaxWidth) X(cudaDeviceRegisterAsyncNotification)                                    \
    X(cudaDeviceUnregisterAsyncNotification) X(cudaEGLStreamConsumerAcquireFrame) X(cudaEGLStreamConsumerConnect)     \
    X(cudaEGLStreamConsumerConnectWithFlags) X(cudaEGLStreamConsumerDisconnect) X(cudaEGLStreamConsumerReleaseFrame)  \
    X(cudaEGLStreamProducerConnect) X(cudaEGLStreamProducerDisconnect) X(cudaEGLStreamProducerPresentFrame)           \
    X(cudaEGLStreamProducerReturnFrame) X(cudaEventCreateFromEGLSync) X(cudaExternalMemoryGetMappedBuffer)            \
    X(cudaExternalMemoryGetMappedMipmappedArray) X(cudaFreeArray) X(cudaFreeMipmappedArray) X(cudaGLGetDevices)       \
    X(cudaGLMapBufferObject) X(cudaGLMapBufferObjectAsync) X(cudaGLRegisterBufferObject)                              \
    X(cudaGLSetBufferObjectMapFlags) X(cudaGLSetGLDevice) X(cudaGLUnmapBufferObject) X(cudaGLUnmapBufferObjectAsync)  \
    X(cudaGLUnregisterBufferObject) X(cudaGetChannelDesc) X(cudaGetExportTable) X(cudaGetMipmappedArrayLevel)         \
    X(cudaGetSurfaceObjectResourceDesc) X(cudaGetTextureObjectResourceDesc) X(cudaGetTextureObjectResourceViewDesc)   \
    X(cudaGetTextureObjectTextureDesc) X(cudaGraphAddExternalSemaphoresSignalNode)                                    \
    X(cudaGraphAddExternalSemaphoresWaitNode) X(cudaGraphExecExternalSemaphoresSignalNodeSetParams)                   \
    X(cudaGraphExecExternalSemaphoresWaitNodeSetParams) X(cudaGraphExternalSemaphoresSignalNodeGetParams)             \
    X(cudaGraphExternalSemaphoresSignalNodeSetParams) X(cudaGraphExternalSemaphoresWaitNodeGetParams)                 \
    X(cudaGraphExternalSemaphoresWaitNodeSetParams) X(cudaGraphMemcpyNodeGetParams)                                   \
    X(cudaGraphicsEGLRegisterImage) X(cudaGraphicsGLRegisterBuffer) X(cudaGraphicsGLRegisterImage)                    \
    X(cudaGraphicsMapResources) X(cudaGraphicsResourceGetMappedEglFrame)                                              \
    X(cudaGraphicsResourceGetMappedMipmappedArray) X(cudaGraphicsResourceGetMappedPointer)                            \
    X(cudaGraphicsResourceSetMapFlags) X(cudaGraphicsSubResourceGetMappedArray) X(cudaGraphicsUnmapResources)         \
    X(cudaGraphicsUnregisterResource) X(cudaGraphicsVDPAURegisterOutputSurface)                                       \
    X(cudaGraphicsVDPAURegisterVideoSurface) X(cudaImportExternalMemory) X(cudaImportExternalSemaphore)               \
    X(cudaIpcGetEventHandle) X(cudaIpcOpenEventHandle) X(cudaKernelSetAttributeForDevice)                             \
    X(cudaLibraryGetUnifiedFunction) X(cudaLogsCurrent) X(cudaLogsDumpToFile) X(cudaLogsDumpToMemory)                 \
    X(cudaLogsRegisterCallback) X(cudaLogsUnregisterCallback) X(cudaMalloc3DArray) X(cudaMallocArray)                 \
    X(cudaMallocMipmappedArray) X(cudaMemDiscardAndPrefetchBatchAsync) X(cudaMemDiscardAndPrefetchBatchAsync_ptsz)    \
    X(cudaMemDiscardBatchAsync) X(cudaMemDiscardBatchAsync_ptsz) X(cudaMemPoolExportPointer)                          \
    X(cudaMemPoolExportToShareableHandle) X(cudaMemPoolImportFromShareableHandle) X(cudaMemPoolImportPointer)         \
    X(cudaMemcpy2DArrayToArray)                                                                                       \
    X(cudaMemcpy2DArrayToArray_ptds) X(cudaMemcpy2DFromArray) X(cudaMemcpy2DFromArrayAsync)                           \
    X(cudaMemcpy2DFromArrayAsync_ptsz) X(cudaMemcpy2DFromArray_ptds) X(cudaMemcpy2DToArray)                           \
    X(cudaMemcpy2DToArrayAsync) X(cudaMemcpy2DToArrayAsync_ptsz) X(cudaMemcpy2DToArray_ptds)                          \
    X(cudaMemcpyArrayToArray) X(cudaMemcpyArrayToArray_ptds) X(cudaMemcpyFromArray)                                   \
    X(cudaMemcpyFromArrayAsync) X(cudaMemcpyFromArrayAsync_ptsz) X(cudaMemcpyFromArray_ptds) X(cudaMemcpyToArray)     \
    X(cudaMemcpyToArrayAsync) X(cudaMemcpyToArrayAsync_ptsz) X(cudaMemcpyToArray_ptds)                                \
    X(cudaMipmappedArrayGetMemoryRequirements) X(cudaMipmappedArrayGetSparseProperties)                               \
    X(cudaSignalExternalSemaphoresAsync) X(cudaSignalExternalSemaphoresAsync_ptsz) X(cudaVDPAUGetDevice)              \
    X(cudaVDPAUSetVDPAUDevice) X(cudaWaitExternalSemaphoresAsync) X(cudaWaitExternalSemaphoresAsync_ptsz)             \
    X(cudaThreadExit) X(cudaThreadGetCacheConfig) X(cudaThreadGetLimit) X(cudaThreadSetCacheConfig)                   \
    X(cudaThreadSetLimit) X(cudaThreadSynchronize) X(cudaLaunchCooperativeKernelMultiDevice)                          \
    X(cudaSignalExternalSemaphoresAsync_v2) X(cudaSignalExternalSemaphoresAsync_v2_ptsz)                              \
    X(cudaWaitExternalSemaphoresAsync_v2) X(cudaWaitExternalSemaphoresAsync_v2_ptsz) X(cudaCreateTextureObject_v2)    \
    X(cudaGetTextureObjectTextureDesc_v2) X(__cudaRegisterTexture) X(__cudaRegisterSurface)
// clang-format on

#define ROPEWALK_ANSWER(name) \
  extern "C" ROPEWALK_SHOWN int name() { return ropewalk::driver::runtime::not_there(#name); }
ROPEWALK_NOT_THERE(ROPEWALK_ANSWER)
