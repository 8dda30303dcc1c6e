// What the extension asks of VS Code, answered from the argument of the process. `get` answers as carelessly as an editor could: with
// the settings of the folder.

const asked = JSON.parse(process.argv[2]);
const nothing = { dispose() {} };

exports.workspace = {
  isTrusted: asked.isTrusted,
  workspaceFolders: asked.folders.map((fsPath) => ({ uri: { scheme: "file", fsPath } })),
  getConfiguration: () => ({
    get: (name, otherwise) => asked.folder?.[name] ?? asked.user[name] ?? otherwise,
    inspect: (name) => ({ key: name, globalValue: asked.user[name], workspaceValue: asked.folder?.[name] }),
  }),
  onDidGrantWorkspaceTrust: () => nothing,
  onDidChangeConfiguration: () => nothing,
};
exports.commands = { registerCommand: () => nothing };
exports.window = { showErrorMessage: async (text) => void console.log(text) };
