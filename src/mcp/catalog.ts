import type { ServerStatus } from './mcp-host';

/** What the servers of a session offer, as it was when the newest message came: the model is told the same all
 *  through a query, whatever happens to the servers. JSON: it is stored with the session. */
export interface Catalog {
  /** In the order of their names. */
  readonly servers: readonly CatalogServer[];
}

export interface CatalogServer {
  readonly name: string;
  readonly status: ServerStatus['status'];
  /** `sdk`: the program that hosts the session runs it. Else where it is written down. */
  readonly scope: string;
  readonly error?: string;
  /** Empty unless connected. In the order of their names. */
  readonly tools: readonly ToolDefinition[];
  readonly prompts: readonly PromptDefinition[];
  readonly hasResources: boolean;
}

/** As the server describes it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: {
    readonly title?: string | undefined;
    readonly readOnlyHint?: boolean | undefined;
    readonly destructiveHint?: boolean | undefined;
    readonly idempotentHint?: boolean | undefined;
    readonly openWorldHint?: boolean | undefined;
  };
}

export interface PromptDefinition {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[];
}

export const NO_SERVERS: Catalog = { servers: [] };
