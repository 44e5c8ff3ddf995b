# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What `demo` and `check` share: installing what is missing and building into
# build/. Sourced by bash; the caller stands in the top folder.

top=$PWD
build=$top/build

say () {
  printf '\n== %s\n' "$*"
}

fail () {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# nvcc is often installed but not in PATH.
if ! command -v nvcc > /dev/null && test -x /usr/local/cuda/bin/nvcc; then
  PATH=$PATH:/usr/local/cuda/bin
fi

# What building all of it needs, and what pipelines decode and show with.
packages=(gcc libc6-dev meson ninja-build pkg-config libgstreamer1.0-dev
  libgstreamer-plugins-base1.0-dev libpango1.0-dev libsoup-3.0-dev
  libjson-glib-dev gstreamer1.0-tools gstreamer1.0-plugins-base
  gstreamer1.0-plugins-good gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly
  gstreamer1.0-libav gstreamer1.0-x python3-gi
  gir1.2-gstreamer-1.0 gir1.2-gst-plugins-base-1.0 python3-dev python3-numpy
  libjpeg-dev)
if command -v nvcc > /dev/null; then
  packages+=(g++ libgstreamer-plugins-bad1.0-dev libgl-dev)
fi

# gpu_archs: those of this machine's GPUs that the engine supports and nvcc knows, as
# -Dcuda-arch wants them; nothing where there is none.
gpu_archs () {
  local known

  known=$(nvcc --list-gpu-code 2> /dev/null || true)
  { nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2> /dev/null || true; } \
    | tr -d . | sort -un \
    | while read -r arch; do
        if [[ $arch =~ ^[0-9]+$ ]] && test "$arch" -ge 75 \
            && grep -q "^sm_$arch\$" <<< "$known"; then
          echo "$arch"
        fi
      done | paste -sd ,
}

# cuda_options: meson's, for a build/ that is new: of CUDA what this machine runs, as
# code for every GPU takes many minutes to compile. One a line.
cuda_options () {
  local gpus

  if test -f "$build/build.ninja" || ! command -v nvcc > /dev/null; then
    return
  fi
  gpus=$(gpu_archs)
  if test -n "$gpus"; then
    echo "-Dcuda-arch=$gpus"
  else
    echo "No GPU here that this nvcc compiles for: without the CUDA engine" \
      "(docs/howto/cuda.md)." >&2
    echo -Dcuda=disabled
  fi
}

# need PACKAGE...: install those that are not there yet, with apt.
need () {
  local package missing=() sudo=()

  if ! command -v apt-get > /dev/null; then
    echo "This is no Debian or Ubuntu: nothing is installed here. Needed," \
      "by Debian's names: $*"
    return
  fi
  for package; do
    case $(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2> /dev/null) in
      ?i*) ;;
      *) missing+=("$package") ;;
    esac
  done
  if test ${#missing[@]} -eq 0; then
    echo "All packages are there."
    return
  fi
  echo "Missing: ${missing[*]}"
  if test "$(id -u)" -ne 0; then
    command -v sudo > /dev/null || fail "run it as root or install sudo," \
      "or install these packages by hand: ${missing[*]}"
    sudo=(sudo)
  fi
  mkdir -p "$build"
  quietly apt "${sudo[@]}" apt-get update
  quietly apt "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"
}

# progress: of the lines that come, the first, and one every five seconds.
progress () {
  local line next=$SECONDS

  while IFS= read -r line; do
    if test "$SECONDS" -ge "$next"; then
      echo "  ${line:0:76}"
      next=$((SECONDS + 5))
    fi
  done
}

# quietly NAME COMMAND...: run it, say where it is, show its output only if it fails.
quietly () {
  local log=$build/$1.log start=$SECONDS

  shift
  echo "\$ $*"
  if ! "$@" 2>&1 < /dev/null | tee "$log" | progress; then
    tail -n 40 "$log" >&2
    fail "'$*' failed; the end of $log is above"
  fi
  echo "  done in $((SECONDS - start)) s"
}

# compile OPTION...: configure with these meson options and compile.
compile () {
  local again=()

  mkdir -p "$build"
  test ! -f "$build/build.ninja" || again=(--reconfigure)
  quietly configure meson setup "${again[@]}" "$build" "$@"
  quietly compile meson compile -C "$build"
}

# build_plugin OPTION...: the same, and see that the plugin loads.
build_plugin () {
  compile "$@"
  sed -n '/^  Engines/,/^  User defined/p' "$build/meson-logs/meson-log.txt" \
    | sed '/^$/d; /^  User defined/d'
  export GST_PLUGIN_PATH_1_0=$build/gst-plugin
  export GST_REGISTRY_1_0=$build/gst-registry.bin
  gst-inspect-1.0 blockdct > "$build/inspect.log" 2>&1 \
    || fail "the plugin was built but does not load:" \
      "$(tail -n 3 "$build/inspect.log")"
}
