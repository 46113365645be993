# complete.zsh SCRIPT LINE OUT: types LINE and a tab into a zsh that has the completion script SCRIPT, and writes what it offers to OUT, a
# match a line. zpty gives that shell a terminal of its own; what completion adds goes through compadd.
zmodload zsh/zpty || exit 1
script=$1 line=$2 out=$3
zpty shell zsh -f -i
zpty -w shell 'PS1=; fpath=('${script:h}' $fpath); autoload -Uz compinit; compinit -u -D; compdef _orrery orrery
  compadd() { local -a hits; builtin compadd -O hits "$@"; print -rl -- $hits >> '$out'; builtin compadd "$@" }
  complete-and-tell() { zle complete-word; print >> '$out.done' }
  zle -C complete-word complete-word _main_complete; zle -N complete-and-tell; bindkey "^I" complete-and-tell; print > '$out.ready
await() { for i in {1..600}; do [[ -e $1 ]] && return; sleep 0.05; done; exit 1 }
await $out.ready
zpty -n -w shell $line$'\t'
await $out.done
zpty -d shell
