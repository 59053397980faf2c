#!/usr/bin/env bash
# Installs what building needs and what is missing, and nothing else; asks nothing; may be run again at any time.
#   scripts/setup.sh [build|test|ci]     each level holds the ones before it; default: build
#   scripts/setup.sh browser             test, and what the tests of the report in a real browser need
# WARPTUNE_CUDA_HOME=<this folder>/.venv takes CUDA from the vendor's wheels even where a toolkit is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

packages=(cmake ninja-build g++ libfmt-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libsqlite3-dev libxxhash-dev
          libboost-dev libeigen3-dev zlib1g-dev sqlite3)
case ${1:-build} in
  build) ;;
  test) packages+=(libgtest-dev libgmock-dev libboost-context-dev) ;;
  browser) packages+=(libgtest-dev libgmock-dev libboost-context-dev python3 python3-venv) ;;
  ci) packages+=(libgtest-dev libgmock-dev libboost-context-dev clang-16 clang-format-16) ;;
  *) die "unknown level '$1': use build, test, browser or ci" ;;
esac

# The CUDA wheels of one release, 13.0.2: NVRTC, its headers, and the headers that those include.
wheels=(nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-crt==13.0.88 nvidia-cuda-cccl==13.0.85)

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

# install_packages NAME...: those of the named packages that are missing.
install_packages() {
  local missing=() package
  for package in "$@"; do
    if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then missing+=("$package"); fi
  done
  if [ ${#missing[@]} -eq 0 ]; then return; fi
  echo "installing ${missing[*]}"
  if [ "$(id -u)" -ne 0 ] && ! sudo -n true 2>/dev/null; then
    die "not root, and sudo needs a password: run 'sudo apt-get install ${missing[*]}' once, then this again"
  fi
  local log
  log=$(mktemp)
  if ! { as_root env DEBIAN_FRONTEND=noninteractive apt-get -q update &&
         as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "${missing[@]}"; } \
       >"$log" 2>&1 </dev/null; then
    tail -20 "$log" >&2
    die "apt-get could not install ${missing[*]}; its log is $log"
  fi
  rm -f "$log"
}

make_environment() {
  if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then install_packages python3 python3-venv; fi
  [ -x .venv/bin/python3 ] || python3 -m venv .venv
}

# Debian packages a browser without windows; elsewhere playwright brings its own.
install_browser() {
  make_environment
  .venv/bin/python3 -m pip --disable-pip-version-check install --quiet 'playwright>=1.49,<2' </dev/null ||
    die "pip could not install playwright"
  if command -v chromium-headless-shell >/dev/null; then return; fi
  if apt-cache show chromium-headless-shell >/dev/null 2>&1; then
    install_packages chromium-headless-shell fonts-dejavu-core
  else
    as_root .venv/bin/python3 -m playwright install-deps chromium </dev/null && .venv/bin/python3 -m playwright install chromium </dev/null ||
      die "playwright could not install a browser"
  fi
}

install_wheels() {
  echo "no CUDA toolkit found: installing NVRTC and CUDA's headers from the vendor's wheels into .venv"
  make_environment
  .venv/bin/python3 -m pip --disable-pip-version-check install --quiet --no-deps "${wheels[@]}" </dev/null ||
    die "pip could not install ${wheels[*]}"
}

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
  install_packages "${packages[@]}"
else
  echo "no apt-get here: these must be present under your distribution's names: ${packages[*]}"
fi

if [ "${1:-build}" = browser ]; then install_browser; fi

if ! find_cuda >/dev/null; then
  if [ -n "${WARPTUNE_CUDA_HOME:-}" ] && [ "$WARPTUNE_CUDA_HOME" != "$root/.venv" ]; then
    die "WARPTUNE_CUDA_HOME is '$WARPTUNE_CUDA_HOME', which has no cuda.h and nvrtc.h: correct it or unset it"
  fi
  install_wheels
  find_cuda >/dev/null || die "the wheels brought no cuda.h and nvrtc.h: remove .venv and try again"
fi
echo "set-up done; CUDA headers and NVRTC: $(find_cuda)"
