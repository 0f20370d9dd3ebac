// The functions of the driver API that the test's program calls, as the reference has them.
#pragma once
#include <cstddef>

using DevicePointer = unsigned long long;

extern "C" {
int cuInit(unsigned);
int cuGetErrorName(int, const char**);
int cuGetProcAddress_v2(const char*, void**, int, unsigned long long, int*);
int cuGetExportTable(const void**, const void*);
int cuDeviceGetAttribute(int*, int, int);
int cuDevicePrimaryCtxRetain(void**, int);
int cuCtxSetCurrent(void*);
int cuCtxSynchronize();
int cuModuleLoad(void**, const char*);
int cuModuleLoadDataEx(void**, const void*, unsigned, int*, void**);
int cuModuleUnload(void*);
int cuModuleGetFunction(void**, void*, const char*);
int cuLinkCreate_v2(unsigned, int*, void**, void**);
int cuLinkAddData_v2(void*, int, void*, std::size_t, const char*, unsigned, int*, void**);
int cuLinkComplete(void*, void**, std::size_t*);
int cuLinkDestroy(void*);
int cuMemAlloc_v2(DevicePointer*, std::size_t);
int cuMemFree_v2(DevicePointer);
int cuMemcpyHtoD_v2(DevicePointer, const void*, std::size_t);
int cuMemcpyDtoH_v2(void*, DevicePointer, std::size_t);
int cuMemsetD8Async(DevicePointer, unsigned char, std::size_t, void*);
int cuStreamCreate(void**, unsigned);
int cuStreamSynchronize(void*);
int cuStreamBeginCapture_v2(void*, int);
int cuStreamEndCapture(void*, void**);
int cuGraphGetNodes(void*, void**, std::size_t*);
int cuGraphInstantiateWithFlags(void**, void*, unsigned long long);
int cuGraphLaunch(void*, void*);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int*, void*, int, std::size_t);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
}
