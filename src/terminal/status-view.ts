import { factsOfModel } from '../loop/price-table';
import { elapsed } from './elapsed';
import type { ScreenModel } from './screen-model';
import type { Theme } from './theme';
import { spinner } from './tool-view';

/** What the session does now, on one line above the input; null: nothing. */
export function statusLine(
  screen: ScreenModel,
  {
    theme,
    nowMs,
    isAsking,
  }: { readonly theme: Theme; readonly nowMs: number; readonly isAsking: boolean },
): string | null {
  if (screen.workingSince === null) return null;
  const since = elapsed(nowMs - Date.parse(screen.workingSince));
  const what =
    screen.retry === null ? theme.bold(doing(screen, isAsking)) : theme.warning(screen.retry.text);
  return `${theme.accent(spinner(nowMs))} ${what} ${theme.dim(`(${since} · Esc interrupts · Ctrl-B detaches)`)}`;
}

function doing(screen: ScreenModel, isAsking: boolean): string {
  if (isAsking) return 'Waiting for your answer …';
  if (screen.questions.length > 0) return 'A question waits: send or clear what you type …';
  if (screen.isCompacting) return 'Compacting the conversation …';
  const running = screen.runningTools;
  if (running.length > 1) return `Running ${running.length} tools …`;
  if (running[0] !== undefined) return `Running ${running[0].name} …`;
  return screen.live?.type === 'thinking' ? 'Thinking …' : 'Working …';
}

export interface Footer {
  readonly model: string;
  readonly permissionMode: string;
  /** null: there is no session yet. */
  readonly sessionId: string | null;
}

/** The line below the input. */
export function footerLine(screen: ScreenModel, footer: Footer, theme: Theme): string {
  const { contextTokens, lastResult } = screen;
  const parts = [
    footer.model,
    ...(footer.permissionMode === 'default' ? [] : [footer.permissionMode]),
    ...(lastResult === null ? [] : [dollars(lastResult.total_cost_usd)]),
    ...(contextTokens === 0
      ? []
      : [`context ${percent(contextTokens, factsOfModel(footer.model).contextWindow)}`]),
    ...(footer.sessionId === null ? [] : [footer.sessionId.slice(0, 8)]),
    '/help',
  ];
  return theme.dim(`  ${parts.join(' · ')}`);
}

export const dollars = (usd: number): string => `$${usd.toFixed(usd < 1 ? 4 : 2)}`;

const percent = (part: number, whole: number): string => `${Math.round((100 * part) / whole)} %`;

const BAR_CELLS = 40;

/** How full the context is, as a bar. `model`: that is asked next. */
export function contextLine(screen: ScreenModel, model: string, theme: Theme): string {
  const { contextTokens: tokens } = screen;
  const { contextWindow } = factsOfModel(model);
  const part = tokens / contextWindow;
  const full = Math.min(BAR_CELLS, Math.round(BAR_CELLS * part));
  const paint = part > 0.9 ? theme.bad : part > 0.7 ? theme.warning : theme.good;
  const bar = `${paint('█'.repeat(full))}${theme.dim('░'.repeat(BAR_CELLS - full))}`;
  const thousands = (count: number): string => `${(count / 1_000).toFixed(1)}k`;
  return `${bar} ${thousands(tokens)} of ${thousands(contextWindow)} tokens (${percent(tokens, contextWindow)})`;
}

/** What the session has used and cost so far. */
export function costText({ lastResult }: ScreenModel): string {
  if (lastResult === null) return 'Nothing was asked yet: $0.';
  const models = Object.entries(lastResult.modelUsage).map(
    ([model, used]) =>
      `${model}: ${used.inputTokens} in, ${used.outputTokens} out, ${used.cacheReadInputTokens} from the cache, ${used.cacheCreationInputTokens} to the cache, ${dollars(used.costUSD)}`,
  );
  return [`Total: ${dollars(lastResult.total_cost_usd)}`, ...models].join('\n');
}
