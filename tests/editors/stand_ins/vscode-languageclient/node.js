// Starts the server as vscode-languageclient 11 does (lib/node/main.js, createMessageTransports): `spawn` of the command, without a shell,
// in `options.cwd` where that is a folder itself and no link to one, else in the folder of the workspace.

const { lstatSync } = require("node:fs");
const { spawnSync } = require("node:child_process");
const { workspace } = require("vscode");

exports.LanguageClient = class {
  constructor(id, name, server, options) {
    this.server = server;
  }

  async start() {
    const { command, args, options } = this.server;
    const cwd = options?.cwd ?? workspace.workspaceFolders[0]?.uri.fsPath;
    const ran = spawnSync(command, args, { cwd: lstatSync(cwd).isDirectory() ? cwd : undefined, input: "" });
    if (ran.error !== undefined) {
      throw ran.error;
    }
  }

  async dispose() {}
};
