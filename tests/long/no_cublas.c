// What llm.c's programs need of cuBLAS to be linked: handles are made, and everything else is refused.
#include <stddef.h>

enum { SUCCESS = 0, NOT_SUPPORTED = 15 };

int cublasCreate_v2(void** handle) { return *handle = NULL, SUCCESS; }
int cublasDestroy_v2(void* handle) { return (void)handle, SUCCESS; }
int cublasSetMathMode(void* handle, int mode) { return (void)handle, (void)mode, SUCCESS; }
int cublasLtCreate(void** handle) { return *handle = NULL, SUCCESS; }
int cublasLtDestroy(void* handle) { return (void)handle, SUCCESS; }

int cublasSgemm_v2(void) { return NOT_SUPPORTED; }
int cublasSgemmStridedBatched(void) { return NOT_SUPPORTED; }
int cublasGemmStridedBatchedEx(void) { return NOT_SUPPORTED; }
int cublasLtMatmul(void) { return NOT_SUPPORTED; }
int cublasLtMatmulAlgoGetHeuristic(void) { return NOT_SUPPORTED; }
int cublasLtMatmulDescCreate(void) { return NOT_SUPPORTED; }
int cublasLtMatmulDescDestroy(void) { return NOT_SUPPORTED; }
int cublasLtMatmulDescSetAttribute(void) { return NOT_SUPPORTED; }
int cublasLtMatmulPreferenceCreate(void) { return NOT_SUPPORTED; }
int cublasLtMatmulPreferenceDestroy(void) { return NOT_SUPPORTED; }
int cublasLtMatmulPreferenceSetAttribute(void) { return NOT_SUPPORTED; }
int cublasLtMatrixLayoutCreate(void) { return NOT_SUPPORTED; }
int cublasLtMatrixLayoutDestroy(void) { return NOT_SUPPORTED; }
