/** chitta as an MCP server: tools, resources, and what goes wrong as two lines that a model can act on. Knows no streams. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  RootsListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import { listResources, readResource, RESOURCE_TEMPLATES, type ResourceApp } from '../actions/resources.ts';
import { callTool, type ToolApp, type ToolCall } from '../actions/tools.ts';
import { ChittaError } from '../errors.ts';
import { wellFormedJson } from '../messages/wellformed.ts';
import { listTools, toolNamed } from '../protocol/tools.ts';
import { maskSecrets } from '../redact/mask.ts';
import { turnstile } from './turnstile.ts';

/** What the server needs of the application. */
export interface McpApp extends ToolApp, ResourceApp {
  readonly settings: { readonly disabled: boolean; readonly private: boolean; readonly mcp: boolean };
  log(line: string): void;
}

export interface ServerOptions {
  readonly version: string;
  /** The application for a folder; undefined: where the process was started. */
  openApp(folder: string | undefined): McpApp | Promise<McpApp>;
  /** The folder that is worked in, if it is known; else the client is asked for its roots. */
  readonly folder?: string | undefined;
  readonly session?: string | undefined;
}

/** It stands in the model's context. */
const INSTRUCTIONS =
  'chitta keeps what was said, decided and compacted in earlier sessions of this project. Ask `recall` before you assume that ' +
  'something is new or was never said; `show` brings back what a mark of chitta with a handle such as #k3v7q2a stands for.';

/** Checks what a client answers to a form. None is ever asked for, so the SDK's validator is not even in the build. */
const NO_FORMS: jsonSchemaValidator = {
  getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'chitta asks for no forms' }),
};

const ROOTS_MS = 1_000;
const NOT_FOUND = -32_002;

function oneLine(text: string): string {
  return maskSecrets(text.toWellFormed()).text.replaceAll(/\s+/g, ' ').trim();
}

/** What went wrong and what to do, a line each. */
function problemOf(error: unknown): {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly field?: string;
} {
  if (!(error instanceof ChittaError)) {
    const message = error instanceof Error ? error.message : String(error);
    return { code: 'E_INTERNAL', message: oneLine(message), hint: 'chitta doctor; the log that it names says more' };
  }
  const { code, message, hint = 'chitta doctor says what is wrong with the installation', field } = error;
  return { code, message: oneLine(message), hint: oneLine(hint), ...(field === undefined ? {} : { field }) };
}

function failed(error: unknown): CallToolResult {
  const { message, hint, code, ...rest } = problemOf(error);
  const text = `chitta: ${message}   [${code}]\ntry: ${hint}`;
  return {
    isError: true,
    content: [{ type: 'text', text }],
    structuredContent: { error: { code, message, hint, ...rest } },
  };
}

function succeeded(result: Readonly<Record<string, unknown>>): CallToolResult {
  // An object goes in, so an object comes out.
  const structuredContent = wellFormedJson(result).value as Record<string, unknown>;
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

function isOff({ settings }: McpApp): boolean {
  return settings.disabled || !settings.mcp;
}

function switchedOff({ settings }: McpApp): ChittaError {
  const by = settings.disabled ? 'disabled' : 'mcp';
  return new ChittaError('E_SWITCHED_OFF', `chitta is switched off here, by the setting ${by}`, {
    hint: `the user can change it: chitta config get ${by}`,
  });
}

/** The path of a root, if it is a folder of this machine. */
function pathOf(uri: string): string | undefined {
  try {
    const url = new URL(uri);
    if (url.protocol !== 'file:' || (url.hostname !== '' && url.hostname !== 'localhost')) return undefined;
    const path = decodeURIComponent(url.pathname);
    if (path.includes('\0')) return undefined;
    // A drive stands behind a slash there.
    return /^\/[A-Za-z]:/.test(path) ? path.slice(1) : path;
  } catch {
    return undefined;
  }
}

/** A server that is not connected yet. Where chitta is switched off it has no tools and no resources. */
export function createMcpServer({ version, openApp, folder, session }: ServerOptions): Server {
  const server = new Server(
    { name: 'chitta', version },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator: NO_FORMS },
  );
  const pass = turnstile();
  let asked: Promise<string | undefined> | undefined;

  /** Clients without a project start their servers anywhere, and tell the folder when they are asked. */
  async function askedFolder(): Promise<string | undefined> {
    if (server.getClientCapabilities()?.roots === undefined) return undefined;
    try {
      const { roots } = await server.listRoots(undefined, { timeout: ROOTS_MS });
      return roots.map(({ uri }) => pathOf(uri)).find((path) => path !== undefined);
    } catch {
      // One that does not answer is as one that has none.
      return undefined;
    }
  }

  // Opened for each call: settings may change while the server stays, and opening reads two small files.
  const open = async (): Promise<McpApp> => openApp(folder ?? (await (asked ??= askedFolder())));
  const openIfOn = async (): Promise<McpApp | undefined> => {
    const app = await open();
    return isOff(app) ? undefined : app;
  };
  /** A resource has no result that says what went wrong: an error of the protocol does. */
  const orError = async <T>(signal: AbortSignal, work: (app: McpApp) => Promise<T>): Promise<T> => {
    try {
      return await pass(signal, async () => {
        const app = await open();
        if (isOff(app)) throw switchedOff(app);
        return work(app);
      });
    } catch (error) {
      const { code, message, hint } = problemOf(error);
      const isCallers = code === 'E_PARAM_INVALID' ? ErrorCode.InvalidParams : ErrorCode.InternalError;
      throw new McpError(code === 'E_NOT_FOUND' ? NOT_FOUND : isCallers, `${message}; try: ${hint}`, { code });
    }
  };

  server.setNotificationHandler(RootsListChangedNotificationSchema, () => {
    asked = undefined;
  });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    // Schemas are of JSON Schema's type object, which the type of the SDK wants to see.
    tools: ((await openIfOn()) === undefined ? [] : listTools()).map((tool) => ({
      ...tool,
      inputSchema: { ...tool.inputSchema, type: 'object' as const },
      outputSchema: { ...tool.outputSchema, type: 'object' as const },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const name = toolNamed(params.name);
    if (name === undefined)
      throw new McpError(ErrorCode.InvalidParams, `there is no tool ${params.name.slice(0, 100)}`);
    try {
      return await pass(signal, async () => {
        const app = await open();
        if (isOff(app)) throw switchedOff(app);
        const call: ToolCall = { session, storesNothing: app.settings.private };
        return succeeded(await callTool(name, params.arguments ?? {}, app, call));
      });
    } catch (error) {
      return failed(error);
    }
  });
  server.setRequestHandler(ListResourcesRequestSchema, async ({ params }, { signal }) => {
    if ((await openIfOn()) === undefined) return { resources: [] };
    const page = await orError(signal, (app) => listResources(app, params?.cursor));
    return { ...page, resources: [...page.resources] };
  });
  server.setRequestHandler(ListResourceTemplatesRequestSchema, async () => ({
    resourceTemplates: (await openIfOn()) === undefined ? [] : [...RESOURCE_TEMPLATES],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }, { signal }) => ({
    contents: [await orError(signal, (app) => readResource(app, params.uri)).then((text) => ({ ...text }))],
  }));
  return server;
}
