/** What can be called over JSON-RPC: the tool protocol of MCP, so that any MCP client's requests are understood. */
import type { ToolApp } from '../actions/tools.ts';
import { INVALID_PARAMS, RpcError } from './reply.ts';
import type { Method, Methods } from './dispatch.ts';
import type { CompactResult } from '../protocol/compact-result.ts';

/** Revisions of MCP whose handshake this is; a client that asks for another one is offered the newest. */
const NEWEST_REVISION = '2025-06-18';
const REVISIONS: readonly string[] = ['2024-11-05', '2025-03-26', NEWEST_REVISION];

function requireText(params: Readonly<Record<string, unknown>>, field: string): string {
  const value = params[field];
  if (typeof value === 'string') return value;
  throw new RpcError(INVALID_PARAMS, `${field} must be a text`, { field });
}

/** What the methods need of the application. */
export interface RpcApp extends ToolApp {
  /** Takes unchecked parameters; rejects with a ChittaError that names the field. */
  compactContext(params: unknown): Promise<CompactResult>;
}

/** For jq what was compacted stands at the top; the survivors are written once. */
function compacted(result: CompactResult): object {
  const { stats } = result;
  return { ...result, content: [{ type: 'text', text: JSON.stringify({ stats }) }], structuredContent: { stats } };
}

async function called(name: string, args: unknown, openApp: () => Promise<RpcApp>): Promise<object> {
  if (name === 'compact_context') return compacted(await (await openApp()).compactContext(args));
  const [{ callTool }, { toolNamed, toolNames }] = await Promise.all([
    import('../actions/tools.ts'),
    import('../protocol/tools.ts'),
  ]);
  const tool = toolNamed(name);
  if (tool === undefined) {
    throw new RpcError(INVALID_PARAMS, `name: there is no tool ${name}, only ${toolNames().join(', ')}`, {
      field: 'name',
    });
  }
  const structuredContent = await callTool(tool, args, await openApp());
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

/** The methods by name. The application is opened by the first call that needs it. */
export function methodsFor(version: string, openApp: () => Promise<RpcApp>): Methods {
  const initialize: Method = ({ protocolVersion: asked }) => ({
    protocolVersion: typeof asked === 'string' && REVISIONS.includes(asked) ? asked : NEWEST_REVISION,
    capabilities: { tools: {} },
    serverInfo: { name: 'chitta', version },
  });
  const listTools: Method = async () => ({
    // What compact_context answers here has its survivors beside `structuredContent`, not in it.
    tools: (await import('../protocol/tools.ts'))
      .listTools()
      .map((tool) => (tool.name === 'compact_context' ? { ...tool, outputSchema: undefined } : tool)),
  });
  const callTool: Method = async (params) => {
    try {
      return await called(requireText(params, 'name'), params['arguments'] ?? {}, openApp);
    } finally {
      // What the call opened is closed in the next turn of the event loop: thousands at once never come to it by themselves.
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return new Map<string, Method>([
    ['initialize', initialize],
    ['notifications/initialized', () => ({})],
    ['ping', () => ({})],
    ['tools/list', listTools],
    ['tools/call', callTool],
  ]);
}
