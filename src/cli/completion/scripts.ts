/** Scripts that complete command lines of `trainlets` in bash, zsh and fish. */

import type { CompletedCommand, CompletedOption, Words } from "./words.js";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

export function completionScript(shell: Shell, commands: readonly CompletedCommand[]): string {
  return { bash, zsh, fish }[shell](commands);
}

function flagsOf(options: readonly CompletedOption[]): string[] {
  return options.flatMap(({ flags }) => flags);
}

// — bash ——————————————————————————————————————————————————————————————————————

function bash(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  const cases = commands.map(
    ({ name, options, data }) => `    ${name})
      case $before in
${options
  .filter(({ takes }) => takes !== undefined)
  .map(({ flags, takes }) => `        ${flags.join("|")}) ${bashWords(takes)}; return ;;`)
  .join("\n")}
      esac
      if [[ $word == -* ]]; then COMPREPLY=($(compgen -W "${flagsOf(options).join(" ")}" -- "$word"))
      else ${bashWords(data)}; fi ;;`,
  );
  return `# Completes trainlets in bash: source <(trainlets completion bash)
_trainlets() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "${names} --help --version" -- "$word"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join("\n")}
  esac
}
complete -F _trainlets trainlets
`;
}

function bashWords(words: Words | undefined): string {
  if (words === "files") return 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$word"))';
  if (words === undefined || words === "anything") return "COMPREPLY=()";
  return `COMPREPLY=($(compgen -W "${words.names.join(" ")}" -- "$word"))`;
}

// — zsh ———————————————————————————————————————————————————————————————————————

function zsh(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name, text }) => `    ${quoted(`${name}:${text}`)}`).join("\n");
  const cases = commands.map(
    ({ name, options, data }) =>
      `    ${name}) _arguments -s ${[...options.flatMap(zshOption), quoted(`*:data:${zshAction(data)}`)].join(" \\\n      ")} ;;`,
  );
  return `#compdef trainlets
# Completes trainlets in zsh: trainlets completion zsh > "\${fpath[1]}/_trainlets"
_trainlets() {
  local -a commands
  commands=(
${names}
  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
${cases.join("\n")}
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _trainlets "$@"; else compdef _trainlets trainlets; fi
`;
}

/** One line for each flag of an option; either excludes both. */
function zshOption({ flags, text, takes }: CompletedOption): string[] {
  const about = text.replaceAll(/[[\]:]/g, (letter) => `\\${letter}`);
  const value = takes === undefined ? "" : `:value:${zshAction(takes)}`;
  const others = flags.length > 1 ? `(${flags.join(" ")})` : "";
  return flags.map((flag) => quoted(`${others}${flag}[${about}]${value}`));
}

function zshAction(words: Words): string {
  if (words === "files") return "_files";
  return words === "anything" ? " " : `(${words.names.join(" ")})`;
}

// — fish ——————————————————————————————————————————————————————————————————————

function fish(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  const lines = commands.flatMap(({ name, text, options, data }) => [
    `complete -c trainlets -n "not __fish_seen_subcommand_from ${names}" -f -a ${name} -d ${quoted(text)}`,
    ...options.map(
      (option) => `complete -c trainlets -n "__fish_seen_subcommand_from ${name}" ${fishOption(option)}`,
    ),
    ...(typeof data === "object"
      ? [
          `complete -c trainlets -n "__fish_seen_subcommand_from ${name}" -f -a ${quoted(data.names.join(" "))}`,
        ]
      : []),
  ]);
  return `# Completes trainlets in fish: trainlets completion fish > ~/.config/fish/completions/trainlets.fish
${lines.join("\n")}
`;
}

function fishOption({ flags, text, takes }: CompletedOption): string {
  const parts = flags.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  const value =
    takes === undefined
      ? ""
      : takes === "files"
        ? " -r -F"
        : ` -x${takes === "anything" ? "" : ` -a ${quoted(takes.names.join(" "))}`}`;
  return `${parts.join(" ")}${value} -d ${quoted(text)}`;
}

/** A word of a shell in single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
