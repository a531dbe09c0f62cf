/** `trainlets completion`: a script that completes command lines in a shell. */

import { Argument, Command } from "commander";
import { completionScript, type Shell, shells } from "../completion/scripts.js";
import { completedCommands } from "../completion/words.js";
import { stdout } from "../terminal/output.js";

const examples = `
Install:
  bash  echo 'source <(trainlets completion bash)' >> ~/.bashrc
  zsh   trainlets completion zsh > "\${fpath[1]}/_trainlets"
  fish  trainlets completion fish > ~/.config/fish/completions/trainlets.fish`;

/** `load` gives every command of the program. */
export function completionCommand(load: () => Promise<Command[]> = async () => []): Command {
  return new Command("completion")
    .summary("print a script that completes commands in a shell")
    .description("Print a script that completes commands, options and names in bash, zsh or fish.")
    .usage("<shell>")
    .addArgument(new Argument("<shell>", `the shell: ${shells.join(", ")}`).choices(shells))
    .addHelpText("after", examples)
    .action(async (shell: Shell) => {
      stdout.write(completionScript(shell, completedCommands(await load())));
    });
}
