/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check.h"

bool
bdct_cuda_loses_context (cudaError_t err)
{
  switch (err) {
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorAssert:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorECCUncorrectable:
    case cudaErrorDeviceUninitialized:
    case cudaErrorContextIsDestroyed:
    case cudaErrorUnknown:
      return true;
    default:
      return false;
  }
}

/* What the user can do about an error. */
static const char *
cure (cudaError_t err)
{
  switch (err) {
    case cudaErrorMemoryAllocation:
      return "; reduce async-depth or the frame size, or free GPU memory";
    case cudaErrorInsufficientDriver:
      return "; update the NVIDIA driver";
    case cudaErrorNoDevice:
      return "; use the CPU engine, or check the driver with nvidia-smi";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorInvalidPtx:
      return "; this build has no code for this GPU: rebuild with "
          "-Dcuda-arch=, or update the driver";
    default:
      return bdct_cuda_loses_context (err) ? BDCT_CUDA_LOST : "";
  }
}

bool
bdct_cuda_check (cudaError_t err, const char *call, BdctError * error)
{
  if (err == cudaSuccess)
    return true;
  (void) cudaGetLastError ();
  return bdct_error (error, "%s: %s%s", call, cudaGetErrorString (err),
      cure (err));
}
