# shellcheck shell=bash
# Installs what is missing, of the groups that a step needs. Without anything missing it touches nothing.

# The packages of the groups (all of them without arguments) whose probe finds nothing.
missing_packages() {
  local groups probe package wanted
  local -a headers=() header_packages=()
  while read -r groups probe package; do
    [[ -n $groups && $groups != '#'* ]] || continue
    wanted=$(($# == 0))
    for group in "$@"; do [[ ,$groups, == *,$group,* ]] && wanted=1; done
    ((wanted)) || continue
    if [[ $probe == '<'* ]]; then
      headers+=("$probe") header_packages+=("$package")
    elif [[ $probe == /* ]]; then
      compgen -G "$probe" >/dev/null || say "$package"
    elif ! command -v "$probe" >/dev/null; then
      say "$package"
    fi
  done <ci/deps
  ((${#headers[@]} == 0)) || missing_headers "${headers[@]}" "${header_packages[@]}"
}

# One run of the preprocessor answers for all headers: what is left of the text is the packages that are missing.
missing_headers() { # HEADERS... PACKAGES...
  local count=$(($# / 2)) i
  local -a all=("$@")
  if ! command -v g++ >/dev/null; then
    printf '%s\n' "${all[@]:count}"
    return
  fi
  for ((i = 0; i < count; i++)); do
    printf '#if !__has_include(%s)\n%s\n#endif\n' "${all[i]}" "${all[count + i]}"
  done | g++ -x c++ -std=c++20 -E -P - | awk NF
}

install_packages() {
  local -a as_root=()
  ((EUID == 0)) || as_root=(sudo -n)
  local -a apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y)
  "${apt[@]}" install --no-install-recommends "$@" && return
  say "-- not found in the package lists that are here: updating them"
  "${apt[@]}" update && "${apt[@]}" install --no-install-recommends "$@"
}

ensure_deps() { # GROUPS...
  local list
  local -a packages
  list=$(missing_packages "$@" | sort -u)
  [[ -n $list ]] || return 0
  mapfile -t packages <<<"$list"
  if ! command -v apt-get >/dev/null; then
    refuse "missing, and there is no apt-get here: install (Debian's names) ${packages[*]}"
  fi
  if ((EUID != 0)) && ! sudo -n true 2>/dev/null; then
    refuse "missing packages; run: sudo apt-get install ${packages[*]}"
  fi
  say "missing: ${packages[*]}"
  logged "install packages" install_packages "${packages[@]}" && list=$(missing_packages "$@") && [[ -z $list ]] && return
  refuse "could not install ${packages[*]}: run apt-get install ${packages[*]} by hand and see what it says"
}
