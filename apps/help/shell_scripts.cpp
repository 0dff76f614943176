#include "apps/help/shell_scripts.hpp"

namespace troupe {

namespace {

constexpr std::string_view bash_script = R"sh(# troupe: completion for bash
_troupe() {
  local cur=${COMP_WORDS[COMP_CWORD]} cword=$COMP_CWORD kind word help
  local -a words=("${COMP_WORDS[@]}")
  # Words with : and = (URLs) stay whole, if bash-completion is there.
  if declare -F _get_comp_words_by_ref > /dev/null; then
    _get_comp_words_by_ref -n := cur words cword
  fi
  COMPREPLY=()
  {
    read -r kind
    while IFS=$'\t' read -r word help; do
      COMPREPLY+=("$(printf '%q' "$word")")
    done
  } < <("$1" __complete "${words[@]:1:cword}" 2> /dev/null)
  case $kind in
    :files)
      compopt -o filenames 2> /dev/null
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur")
      ;;
    :directories)
      compopt -o filenames 2> /dev/null
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$cur")
      ;;
  esac
  if declare -F __ltrim_colon_completions > /dev/null; then
    __ltrim_colon_completions "$cur"
  fi
}
complete -F _troupe troupe
)sh";

constexpr std::string_view zsh_script = R"sh(#compdef troupe
# troupe: completion for zsh
_troupe() {
  local line
  local -a lines values
  lines=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2> /dev/null)}")
  for line in "${(@)lines[2,-1]}"; do
    values+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  (( ${#values} )) && _describe troupe values
  case ${lines[1]} in
    :files) _files ;;
    :directories) _files -/ ;;
  esac
}
if [[ ${funcstack[1]} == _troupe ]]; then
  _troupe "$@"
else
  compdef _troupe troupe
fi
)sh";

constexpr std::string_view fish_script = R"sh(# troupe: completion for fish
function __troupe_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] __complete $words[2..-1] "$current" 2> /dev/null)
    for line in $lines[2..-1]
        echo $line
    end
    switch $lines[1]
        case ':files'
            __fish_complete_path "$current"
        case ':directories'
            __fish_complete_directories "$current"
    end
end
complete -c troupe -f -a '(__troupe_complete)'
)sh";

} // namespace

std::string_view shell_script(shell_kind shell) {
  switch (shell) {
    case shell_kind::bash: return bash_script;
    case shell_kind::zsh: return zsh_script;
    case shell_kind::fish: return fish_script;
  }
  return {};
}

} // namespace troupe
