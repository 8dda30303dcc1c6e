// Which budgetlint is started: the setting, a virtual environment of the workspace, PATH.

import { accessSync, constants, statSync } from "node:fs";
import * as path from "node:path";

const ENVIRONMENTS = [".venv", "venv", "env"];
const WINDOWS = process.platform === "win32";
const NAME = WINDOWS ? "budgetlint.exe" : "budgetlint";
const PROGRAMS = WINDOWS ? "Scripts" : "bin";

export interface Found {
  program?: string;
  /** What was looked at, for the message where there is none. */
  looked: string[];
}

/** `setting` may be relative to a folder of the workspace; `folders` are those that may be trusted with a program. */
export function find(setting: string, folders: string[]): Found {
  const places = setting ? named(setting, folders) : [...inEnvironments(folders), ...onPath()];
  const program = places.find(isProgram);
  const looked = setting ? places : [...inEnvironments(folders), "PATH"];
  return program === undefined ? { looked } : { program, looked };
}

function named(setting: string, folders: string[]): string[] {
  return path.isAbsolute(setting) ? [setting] : folders.map((folder) => path.join(folder, setting));
}

function inEnvironments(folders: string[]): string[] {
  return folders.flatMap((folder) => ENVIRONMENTS.map((name) => path.join(folder, name, PROGRAMS, NAME)));
}

function onPath(): string[] {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  return folders.filter((folder) => path.isAbsolute(folder)).map((folder) => path.join(folder, NAME));
}

function isProgram(place: string): boolean {
  try {
    accessSync(place, constants.X_OK);
    return statSync(place).isFile();
  } catch {
    return false;
  }
}
