# FindCudaHeaders: target CudaHeaders::CudaHeaders with the folders of cuda.h and nvrtc.h. Nothing is linked: warptune opens the
# libraries by name when first needed. Looked through in this order: WARPTUNE_CUDA_HOME (variable or environment; when it is
# set, nothing else), CUDA_HOME, CUDA_PATH, the usual prefix, and the vendor's wheels in VIRTUAL_ENV, in the project's .venv
# and in CONDA_PREFIX. A prefix may be a toolkit or a Python environment. Needs CUDA 12.0 or newer.
set(WARPTUNE_CUDA_HOME "$ENV{WARPTUNE_CUDA_HOME}" CACHE PATH "Toolkit or Python environment to take CUDA's headers from")

if(WARPTUNE_CUDA_HOME)
  set(_cuda_prefixes ${WARPTUNE_CUDA_HOME})
else()
  set(_cuda_prefixes $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda $ENV{VIRTUAL_ENV} ${PROJECT_SOURCE_DIR}/.venv
                     $ENV{CONDA_PREFIX})
endif()
set(_cuda_folders)
foreach(_prefix IN LISTS _cuda_prefixes)
  # CUDA 13's wheels share one folder (nvidia/cu13), CUDA 12's have one each (nvidia/cuda_runtime, nvidia/cuda_nvrtc).
  file(GLOB _wheels ${_prefix}/lib/python3.*/site-packages/nvidia/*/include)
  list(APPEND _cuda_folders ${_prefix}/include ${_wheels})
endforeach()
find_path(CudaHeaders_CUDA_DIR cuda.h PATHS ${_cuda_folders} NO_DEFAULT_PATH)
find_path(CudaHeaders_NVRTC_DIR nvrtc.h PATHS ${_cuda_folders} NO_DEFAULT_PATH)
if(NOT WARPTUNE_CUDA_HOME)
  find_path(CudaHeaders_CUDA_DIR cuda.h)
  find_path(CudaHeaders_NVRTC_DIR nvrtc.h)
endif()
mark_as_advanced(CudaHeaders_CUDA_DIR CudaHeaders_NVRTC_DIR)

if(CudaHeaders_CUDA_DIR)
  file(STRINGS ${CudaHeaders_CUDA_DIR}/cuda.h _cuda_version REGEX "^#define CUDA_VERSION [0-9]+")
  string(REGEX MATCH "[0-9]+" _cuda_version "${_cuda_version}")
  math(EXPR _cuda_major "${_cuda_version} / 1000")
  math(EXPR _cuda_minor "${_cuda_version} % 1000 / 10")
  set(CudaHeaders_VERSION ${_cuda_major}.${_cuda_minor})
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CudaHeaders
  REQUIRED_VARS CudaHeaders_CUDA_DIR CudaHeaders_NVRTC_DIR
  VERSION_VAR CudaHeaders_VERSION
  REASON_FAILURE_MESSAGE "run scripts/setup.sh, or install a CUDA toolkit and set CUDA_HOME to its folder")

if(CudaHeaders_FOUND AND NOT TARGET CudaHeaders::CudaHeaders)
  add_library(CudaHeaders::CudaHeaders INTERFACE IMPORTED)
  target_include_directories(CudaHeaders::CudaHeaders INTERFACE ${CudaHeaders_CUDA_DIR} ${CudaHeaders_NVRTC_DIR})
endif()
