#!/usr/bin/env bash
# Builds and runs the consumer in each documented way: check.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=${1:?usage: ci/consumer/check.sh BUILD_FOLDER}
source=$PWD
rm -rf "$work"
mkdir -p "$work"
work=$(cd "$work" && pwd)

consume() { # WAY [CMAKE ARGUMENTS...]
  local way=$1
  shift
  echo "== $way"
  cmake -G Ninja -S ci/consumer -B "$work/$way" -DSELECTORS_FROM="$way" "$@"
  cmake --build "$work/$way"
  "$work/$way/consumer"
}

# SHARED is ON or OFF. The tree is moved after the installation: nothing in it may remember where it was.
install_to() { # NAME SHARED
  cmake -G Ninja -S . -B "$work/build-$1" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS="$2" \
    -DSELECTORS_BUILD_TESTS=OFF -DSELECTORS_BUILD_CONFORMANCE=OFF -DSELECTORS_BUILD_PERF=OFF
  cmake --build "$work/build-$1"
  cmake --install "$work/build-$1" --prefix "$work/first-$1"
  mv "$work/first-$1" "$work/$1"
}

installed_headers_are_the_public_ones() { # PREFIX
  diff <(cd lib/include && find . -type f | sort) <(cd "$1/include" && find . -type f | sort)
}

with_pkg_config() { # PREFIX
  local pc_dir
  pc_dir=$(dirname "$(find "$1" -name selectors.pc)")
  echo "== pkg-config"
  # shellcheck disable=SC2046 # several arguments are meant
  g++ -std=c++20 ci/consumer/main.cpp -o "$work/with-pkg-config" \
    $(PKG_CONFIG_PATH=$pc_dir pkg-config --cflags --libs 'selectors >= 0.1')
  "$work/with-pkg-config"
}

install_to static OFF
installed_headers_are_the_public_ones "$work/static"
consume find_package -DCMAKE_PREFIX_PATH="$work/static"
with_pkg_config "$work/static"

install_to shared ON
rm -rf "$work/find_package"
consume find_package -DCMAKE_PREFIX_PATH="$work/shared"

consume add_subdirectory -DSELECTORS_SOURCE="$source"
consume fetch_content -DSELECTORS_SOURCE="$source"
