#!/usr/bin/env bash
# Wall time of what people type, warm: a full run, one rule, the rule listing. Figures only; nothing is asserted.
set -euo pipefail
cd "$(dirname "$0")/.."
measure() {
  local start end
  start=$(date +%s%N)
  "$@" >/dev/null 2>&1 || true
  end=$(date +%s%N)
  printf '%7.2f s  %s\n' "$(((end - start) / 10000000))e-2" "$*"
}
measure make conform
measure .venv/bin/pytest -k SYNC-001
measure .venv/bin/pytest --rules
