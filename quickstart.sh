#!/usr/bin/env bash
# From a fresh clone to a tuned kernel: installs what is missing, builds, tunes dot, and shows what won.
# With an NVIDIA GPU dot is tuned on it; without one the measurements of an H200 are replayed through the same loop.
set -euo pipefail
cd "$(dirname "$0")"
. scripts/lib.sh

recording=examples/recordings/h200.db
warptune=build/release/bin/warptune
db=build/quickstart.db

has_gpu() { ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1' && { [ -e /dev/nvidia0 ] || [ -e /dev/dxg ]; }; }

stage "Set-up" scripts/setup.sh build
use_cuda
build() { cmake --preset release >build/release-configure.log && cmake --build --preset release -- -j "$jobs"; }
mkdir -p build
stage "Build (Release)" build

if has_gpu; then
  device=cuda:0
  say "Tuning dot on this machine's GPU"
else
  device=recorded:$recording
  say "No NVIDIA GPU here: replaying measurements recorded on an H200 ($recording)"
fi
run() { printf '$ %s\n' "$*"; "$@"; }
run "$warptune" tune dot --types T=half --dims n=2^24 --device "$device" --db "$db"
say "What won"
run "$warptune" show --db "$db"

say "What next"
cat <<END
  $warptune show dot --types T=half --dims n=2^24 --db $db   every config, ranked
  $warptune tune dot --types T=float --dims n=2^24 --device $device --db $db
  sqlite3 -box $db 'SELECT * FROM best'   the same file, with plain SQLite
  build/release/bin/dot_product --type half --n 1000003 --db $db   an application that uses the winners (needs a GPU)
  docs/install.md   using warptune from your own project
  ./test.sh         the tests
END
if [ -n "${VIRTUAL_ENV:-}" ] && [ "$VIRTUAL_ENV" = "$root/.venv" ]; then
  echo "  CUDA comes from wheels: run 'source .venv/bin/activate' before the commands above"
fi
