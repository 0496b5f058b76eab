// Starts `nimrule lsp` for rule files.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = function () {
  const settings = workspace.getConfiguration("nimrule");
  const server = {
    command: settings.get("path"),
    args: ["lsp", "--each", String(settings.get("secondsForEachClaim"))],
  };
  const options = {
    documentSelector: [{ language: "nimrule" }],
    initializationOptions: { pictures: true },
  };
  client = new LanguageClient("nimrule", "nimrule", server, options);
  return client.start();
};

exports.deactivate = function () {
  return client && client.stop();
};
