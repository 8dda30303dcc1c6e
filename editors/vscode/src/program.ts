// Which budgetlint is started: what the user's own settings say, else the one on PATH; nothing that came with an opened folder, where
// somebody else may have written it, until they say so.

import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import * as nodePath from "node:path";

const ENVIRONMENTS = [".venv", "venv", "env"];

/** What is asked of the machine; `path` is the flavour of its paths. */
export interface System {
  path: nodePath.PlatformPath;
  PATH: string;
  home: string;
  isProgram(place: string): boolean;
  exists(place: string): boolean;
  /** With links resolved. */
  real(place: string): string;
}

export interface Asked {
  /** The setting budgetlint.path. */
  program: string;
  /** The folders that are open, trusted or not. */
  opened: string[];
  /** Those whose own environments may be used. */
  environments: string[];
}

/** `program` is absolute, and so is `folder`, in which it is started. Where there is none, `why` says it. */
export type Found = { program: string; folder: string } | { why: string };

export function find(asked: Asked, system: System = here()): Found {
  const found = asked.program ? named(asked.program, system) : inEnvironment(asked.environments, system) ?? onPath(asked.opened, system);
  // the folder of the program, without links: as no folder of a workspace, it adds nothing to what a program reads or imports
  return typeof found === "string" ? { program: found, folder: system.path.dirname(system.real(found)) } : found;
}

export function here(): System {
  return { path: nodePath, PATH: process.env["PATH"] ?? "", home: homedir(), isProgram, exists: existsSync, real };
}

function named(program: string, system: System): string | { why: string } {
  if (!system.path.isAbsolute(program)) {
    return { why: `The setting budgetlint.path is "${program}": only an absolute path is started.` };
  }
  return system.isProgram(program) ? program : { why: `There is no program ${program}, as the setting budgetlint.path says.` };
}

function inEnvironment(folders: string[], system: System): string | undefined {
  return places(folders, system).find(system.isProgram);
}

function places(folders: string[], system: System): string[] {
  const [folder, name] = system.path.sep === "\\" ? ["Scripts", "budgetlint.exe"] : ["bin", "budgetlint"];
  return folders.flatMap((opened) => ENVIRONMENTS.map((one) => system.path.join(opened, one, folder, name)));
}

function onPath(opened: string[], system: System): string | { why: string } {
  const name = system.path.sep === "\\" ? "budgetlint.exe" : "budgetlint";
  const folders = system.PATH.split(system.path.delimiter).filter((folder) => isWhole(folder, system));
  const programs = folders.map((folder) => system.path.join(folder, name)).filter(system.isProgram);
  const theirs = opened.map((folder) => checkout(folder, system)).filter((folder) => !liesIn(system.home, folder, system));
  const outside = programs.filter((program) => !theirs.some((folder) => liesIn(program, folder, system)));
  const inside = [...places(opened, system).filter(system.isProgram), ...programs];
  return outside[0] ?? { why: inside[0] === undefined ? MISSING : belongs(inside[0]) };
}

const MISSING = 'budgetlint is not on PATH. "pipx install budgetlint" or "uv tool install budgetlint" puts it there; or name it in the setting budgetlint.path.';

function belongs(program: string): string {
  return `${program} came with the folder that is open. To start it, trust the folder and turn on budgetlint.useProjectEnvironment in your user settings, or name it in budgetlint.path.`;
}

/** Absolute with its drive, where a system has them: `\bin` and `C:bin` are relative to the working directory. */
function isWhole(folder: string, system: System): boolean {
  return system.path.isAbsolute(folder) && (system.path.sep === "/" || /^([A-Za-z]:[\\/]|\\\\)/.test(folder));
}

/** All that came with a folder: the outermost repository around it. A whole home is the user's own. */
function checkout(folder: string, system: System): string {
  let found = folder;
  for (let above = folder; ; above = system.path.dirname(above)) {
    if (liesIn(system.home, above, system)) {
      return found;
    }
    if (system.exists(system.path.join(above, ".git"))) {
      found = above;
    }
    if (above === system.path.dirname(above)) {
      return found;
    }
  }
}

/** At or below a folder: as it is written, or with links resolved. */
function liesIn(place: string, folder: string, system: System): boolean {
  return [(one: string) => one, system.real].some((seen) => {
    const way = system.path.relative(seen(folder), seen(place));
    return way !== ".." && !way.startsWith(".." + system.path.sep) && !system.path.isAbsolute(way);
  });
}

function isProgram(place: string): boolean {
  try {
    accessSync(place, constants.X_OK);
    return statSync(place).isFile();
  } catch {
    return false;
  }
}

function real(place: string): string {
  try {
    return realpathSync.native(place);
  } catch {
    return place;
  }
}
