// The client of `budgetlint lsp`: starts it, restarts it when its settings change, and says what to do where it is missing.

import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions } from "vscode-languageclient/node";

import { find } from "./program";

const LANGUAGES = ["yaml", "json", "jsonc", "toml", "python", "shellscript", "dockerfile", "makefile", "budget"];
const SCHEMES = ["file", "untitled"];

/** Files that have another language, or none, by their names. */
const NAMED = "**/*.{yaml,yml,json,conf,toml,budget,sh,bash,slurm,sbatch,job,mk,dockerfile}";

const OPTIONS: LanguageClientOptions = {
  documentSelector: [
    ...LANGUAGES.flatMap((language) => SCHEMES.map((scheme) => ({ scheme, language }))),
    { scheme: "file", pattern: NAMED },
  ],
};

let client: LanguageClient | undefined;
let going: Promise<void> = Promise.resolve();

export function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("budgetlint.restart", restart),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      const changed = ["budgetlint.path", "budgetlint.useProjectEnvironment", "budgetlint.arguments"].some((name) => event.affectsConfiguration(name));
      return changed ? restart() : undefined;
    }),
  );
  return restart();
}

export function deactivate(): Promise<void> {
  return inTurn(stop);
}

function restart(): Promise<void> {
  return inTurn(async () => {
    await stop();
    await start();
  });
}

/** One start or stop after the other, whatever the one before came to. */
function inTurn(step: () => Promise<void>): Promise<void> {
  going = going.then(step, step);
  return going;
}

async function stop(): Promise<void> {
  const old = client;
  client = undefined;
  await old?.dispose();
}

async function start(): Promise<void> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === "file").map((folder) => folder.uri.fsPath);
  const environments = vscode.workspace.isTrusted && own("useProjectEnvironment", false) ? folders : [];
  const found = find({ program: own("path", ""), opened: folders, environments });
  if ("why" in found) {
    void withSettings(found.why);
    return;
  }
  const server = { command: found.program, args: ["lsp", ...own<string[]>("arguments", [])], options: { cwd: found.folder } };
  const made = new LanguageClient("budgetlint", "budgetlint", server, OPTIONS);
  try {
    await made.start();
    client = made;
  } catch (error) {
    void failed(found.program, error);
  }
}

/** A setting of the user: what is started is never said by the settings of a folder, trusted or not. */
function own<T>(name: string, otherwise: T): T {
  return vscode.workspace.getConfiguration("budgetlint").inspect<T>(name)?.globalValue ?? otherwise;
}

async function failed(program: string, error: unknown): Promise<void> {
  const why = error instanceof Error ? error.message : String(error);
  await withSettings(`${program} lsp does not start (${why}). "budgetlint --version" in a terminal says more.`);
}

async function withSettings(told: string): Promise<void> {
  const [open, again] = ["Open settings", "Try again"];
  const chosen = await vscode.window.showErrorMessage(told, open, again);
  if (chosen === open) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "budgetlint");
  } else if (chosen === again) {
    await restart();
  }
}
