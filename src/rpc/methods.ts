/** What can be called over JSON-RPC: the tool protocol of MCP, so that any MCP client's requests are understood. */
import { INVALID_PARAMS, RpcError } from './reply.ts';
import type { Method, Methods } from './dispatch.ts';
import type { CompactResult } from '../protocol/compact-result.ts';

const TOOL = 'compact_context';
const DESCRIPTION =
  'Keeps the messages of a conversation that matter, word for word, within a token budget. ' +
  'Tool calls stay with their results. Returns the survivors in order, and what it cost.';

/** Revisions of MCP whose handshake this is; a client that asks for another one is offered the newest. */
const NEWEST_REVISION = '2025-06-18';
const REVISIONS: readonly string[] = ['2024-11-05', '2025-03-26', NEWEST_REVISION];

function requireText(params: Readonly<Record<string, unknown>>, field: string): string {
  const value = params[field];
  if (typeof value === 'string') return value;
  throw new RpcError(INVALID_PARAMS, `${field} must be a text`, { field });
}

function toolResult(result: CompactResult): Record<string, unknown> {
  const { stats } = result;
  return { ...result, content: [{ type: 'text', text: JSON.stringify({ stats }) }], structuredContent: { stats } };
}

/** What the methods need of the application. */
export interface RpcApp {
  /** Takes unchecked parameters; rejects with a ChittaError that names the field. */
  compactContext(params: unknown): Promise<CompactResult>;
}

/** The methods by name. The application is opened by the first call that needs it. */
export function methodsFor(version: string, openApp: () => Promise<RpcApp>): Methods {
  const initialize: Method = ({ protocolVersion: asked }) => ({
    protocolVersion: typeof asked === 'string' && REVISIONS.includes(asked) ? asked : NEWEST_REVISION,
    capabilities: { tools: {} },
    serverInfo: { name: 'chitta', version },
  });
  const listTools: Method = async () => {
    const { compactParamsSchema } = await import('../protocol/compact-params.ts');
    return { tools: [{ name: TOOL, description: DESCRIPTION, inputSchema: compactParamsSchema() }] };
  };
  const callTool: Method = async (params) => {
    const name = requireText(params, 'name');
    if (name !== TOOL)
      throw new RpcError(INVALID_PARAMS, `name: there is no tool ${name}, only ${TOOL}`, { field: 'name' });
    const app = await openApp();
    return toolResult(await app.compactContext(params['arguments'] ?? {}));
  };
  return new Map<string, Method>([
    ['initialize', initialize],
    ['notifications/initialized', () => ({})],
    ['ping', () => ({})],
    ['tools/list', listTools],
    ['tools/call', callTool],
  ]);
}
