// Memory of other processes. Their events are not there.
#include "lib/driver/api/api.h"

namespace ropewalk::driver {

using IpcHandle = DeviceMemory::IpcHandle;

RW_CUDA cuIpcGetMemHandle(IpcHandle* handle, DevicePointer address) {
  RW_CALL(call);
  return handle ? answer(call->memory().share(address, handle)) : invalid_value;
}

RW_CUDA cuIpcOpenMemHandle_v2(DevicePointer* address, IpcHandle handle, unsigned flags) {
  RW_CALL(call);
  constexpr unsigned lazy_peer_access = 1;
  if (!address || flags != lazy_peer_access) return invalid_value;
  return answer(call->memory().open(handle, call.context(), address));
}
RW_CUDA cuIpcOpenMemHandle(DevicePointer* address, IpcHandle handle, unsigned flags) {
  return cuIpcOpenMemHandle_v2(address, handle, flags);
}

RW_CUDA cuIpcCloseMemHandle(DevicePointer address) {
  RW_CALL(call);
  wait_for_all(*call);
  return answer(call->memory().close(address));
}

}  // namespace ropewalk::driver
