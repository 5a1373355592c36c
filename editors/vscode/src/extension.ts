// The extension: starts `plainsong lsp`, draws verdicts in the gutter and shows executions beside the song.
//
// Everything it knows comes from the server. What is here is what the protocol has no words for: marks and pages.

import * as vscode from "vscode";
import {
  ExecuteCommandRequest,
  LanguageClient,
  LanguageClientOptions,
  ServerOptions,
} from "vscode-languageclient/node";

/** What is known of a property; as in `plainsong/verdicts`. */
type Standing = "not-asked" | "running" | "proved" | "holds" | "refuted" | "unknown";

interface Mark {
  property: string;
  range: { start: { line: number } };
  standing: Standing;
  stale: boolean;
  title: string;
}

interface Verdicts {
  uri: string;
  verdicts: Mark[];
}

interface Page {
  uri: string;
  property: string;
  html: string;
}

/** A sign and a colour for each standing: `proved` and `holds` differ in both. */
const LOOKS: Record<Standing, [sign: string, colour: string]> = {
  "not-asked": ["○", "#808080"],
  running: ["…", "#808080"],
  proved: ["✓", "#2e8b57"],
  holds: ["≤", "#2f74c0"],
  refuted: ["✗", "#d1242f"],
  unknown: ["?", "#b08800"],
};

let client: LanguageClient | undefined;
const drawn = new Map<string, vscode.TextEditorDecorationType>();
const known = new Map<string, Mark[]>();
const pages = new Map<string, vscode.WebviewPanel>();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("plainsong.restart", async () => {
      await stop();
      await start();
    }),
    vscode.commands.registerCommand("plainsong.checkFile", async () => {
      const document = vscode.window.activeTextEditor?.document;
      if (client && document?.languageId === "song") {
        await client.sendRequest(ExecuteCommandRequest.type, {
          command: "plainsong.check",
          arguments: [document.uri.toString()],
        });
      }
    }),
    vscode.window.onDidChangeVisibleTextEditors(() => draw()),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("plainsong")) {
        await stop();
        await start();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
  drawn.forEach((type) => type.dispose());
  drawn.clear();
}

async function stop(): Promise<void> {
  const old = client;
  client = undefined;
  known.clear();
  draw();
  await old?.stop();
}

async function start(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("plainsong");
  const command = settings.get<string>("command", "plainsong");
  const server: ServerOptions = { command, args: ["lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: [{ language: "song" }],
    initializationOptions: {
      check: settings.get<string>("check", "save"),
      timeout: settings.get<number>("timeout", 10),
      pages: true,
      marks: true,
    },
  };
  const fresh = new LanguageClient("plainsong", "Plainsong", server, options);
  fresh.onNotification("plainsong/verdicts", (said: Verdicts) => {
    known.set(vscode.Uri.parse(said.uri).toString(), said.verdicts);
    draw();
  });
  fresh.onNotification("plainsong/page", show);
  try {
    await fresh.start();
    client = fresh;
  } catch {
    const choice = await vscode.window.showErrorMessage(
      `Plainsong cannot start \`${command} lsp\`. Install the plainsong command, or say in the settings where it is.`,
      "Open Settings",
    );
    if (choice) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "plainsong.command");
    }
  }
}

/** Draws a sign after each line with verdicts, the worst of its verdicts first. */
function draw(): void {
  for (const editor of vscode.window.visibleTextEditors) {
    const marks = known.get(editor.document.uri.toString()) ?? [];
    const byLook = new Map<string, vscode.DecorationOptions[]>();
    for (const mark of marks) {
      const look = mark.stale ? `${mark.standing} stale` : mark.standing;
      const line = mark.range.start.line;
      const options = byLook.get(look) ?? [];
      options.push({
        range: new vscode.Range(line, 0, line, 0),
        hoverMessage: mark.title,
      });
      byLook.set(look, options);
    }
    for (const standing of Object.keys(LOOKS) as Standing[]) {
      for (const stale of [false, true]) {
        const look = stale ? `${standing} stale` : standing;
        const options = byLook.get(look);
        if (options || drawn.has(look)) {
          editor.setDecorations(typeOf(standing, stale), options ?? []);
        }
      }
    }
  }
}

function typeOf(standing: Standing, stale: boolean): vscode.TextEditorDecorationType {
  const look = stale ? `${standing} stale` : standing;
  const made = drawn.get(look);
  if (made) {
    return made;
  }
  const [sign, colour] = LOOKS[standing];
  const picture =
    `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><text x="8" y="13" text-anchor="middle" ` +
    `font-family="sans-serif" font-size="13" font-weight="bold" fill="${colour}" opacity="${stale ? 0.4 : 1}">${sign}</text></svg>`;
  const type = vscode.window.createTextEditorDecorationType({
    gutterIconPath: vscode.Uri.parse(`data:image/svg+xml;utf8,${encodeURIComponent(picture)}`),
    gutterIconSize: "contain",
    overviewRulerColor: standing === "refuted" ? colour : undefined,
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  drawn.set(look, type);
  return type;
}

/** Shows an execution beside the song: the page is one file and needs nothing from outside. */
function show(page: Page): void {
  const key = `${page.uri} ${page.property}`;
  let panel = pages.get(key);
  if (!panel) {
    panel = vscode.window.createWebviewPanel(
      "plainsong.page",
      page.property,
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, localResourceRoots: [], retainContextWhenHidden: true },
    );
    panel.onDidDispose(() => pages.delete(key));
    pages.set(key, panel);
  }
  panel.webview.html = page.html;
  panel.reveal(undefined, true);
}
