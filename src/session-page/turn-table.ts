import { counted, dollars, durationText, grouped, tokensText } from './figures';
import type { CallFacts, QueryFacts, TurnFacts } from './facts';
import { html, type Html } from './html';
import { callNotes, OUTCOMES, spanText } from './outcome-words';
import { callId, turnId } from './row-id';
import type { ShownWords } from './shown-words';
import { costOfTurn, withSubAgents } from './totals';

/** What rows are made from. `id`: prefix of their ids. */
export interface Rows {
  readonly query: QueryFacts;
  readonly id: string;
  readonly words: ShownWords;
  readonly nowMs: number;
}

/** The figures of turns and what became of their calls. */
export function turnTable(rows: Rows, turns: readonly TurnFacts[]): Html {
  return html`<div class="wide">
    <table>
      <thead>
        <tr>
          <th scope="col">turn</th>
          <th scope="col">at</th>
          <th scope="col">took</th>
          <th scope="col" title="tokens that were read and were not in the cache">in</th>
          <th scope="col" title="tokens that were read from the cache">cache read</th>
          <th scope="col" title="tokens that were written to the cache">cache write</th>
          <th scope="col">out</th>
          <th scope="col">cost</th>
          <th scope="col">what came of it</th>
        </tr>
      </thead>
      <tbody>
        ${turns.map((turn) => turnRows(turn, rows))}
      </tbody>
    </table>
  </div> `;
}

function turnRows(turn: TurnFacts, rows: Rows): Html {
  const { query, id, words, nowMs } = rows;
  const { requests, reply, calls } = turn;
  const usage = reply?.usage;
  const begun = requests[0]?.fromMs ?? query.fromMs;
  const kept = requests.findLast(({ outcome }) => outcome === 'committed') ?? requests.at(-1);
  const tokens = (count: number | undefined): Html =>
    count === undefined
      ? html`<td></td>`
      : html`<td title="${grouped(count)}">${tokensText(count)}</td>`;
  const again = requests.length > 1 ? html` <em>${counted(requests.length, 'attempt')}</em>` : null;
  return html`<tr class="turn" id="${turnId(id, turn.number)}">
      <th scope="row">${turn.number}</th>
      <td>+${durationText(begun - query.fromMs)}</td>
      <td>${kept === undefined ? '' : spanText(kept, nowMs)}</td>
      ${tokens(usage?.input_tokens)}${tokens(usage?.cache_read_input_tokens)}${tokens(usage?.cache_creation_input_tokens)}${tokens(usage?.output_tokens)}
      <td>${reply === null ? '' : dollars(costOfTurn(turn))}</td>
      <td class="said">
        ${reply === null ? 'no reply on record' : html`<code>${reply.stopReason ?? 'no stop reason'}</code>`}${again}
        ${words.text(turn.text)}
      </td>
    </tr>
    ${calls.map((call, index) => callRows(call, callId(id, turn.number, index), rows))}`;
}

function callRows(call: CallFacts, own: string, rows: Rows): Html {
  const { query, words, nowMs } = rows;
  const { sign, word } = OUTCOMES[call.outcome];
  const failure = words.text(call.failure);
  const notes = callNotes(call, nowMs);
  return html`<tr class="call" id="${own}">
      <td></td>
      <td>+${durationText(call.fromMs - query.fromMs)}</td>
      <td>${spanText(call, nowMs)}</td>
      <td colspan="6" class="said">
        <span class="chip ${call.outcome}"><span aria-hidden="true">${sign}</span> ${word}</span>
        <strong>${words.tool(call)}</strong>
        <code>${words.text(call.summary)}</code
        >${notes.map((note) => html` <em>${note}</em>`)}${failure === '' ? null : html`<div class="failure">${failure}</div>`}
      </td>
    </tr>
    ${call.subAgent === null ? null : agentRow(call.subAgent, { ...rows, id: own })}`;
}

function agentRow(agent: QueryFacts, { words, nowMs, id }: Omit<Rows, 'query'>): Html {
  const turns = withSubAgents(agent).flatMap((one) => one.turns);
  const cost = turns.reduce((sum, turn) => sum + costOfTurn(turn), 0);
  return html`<tr class="agent">
    <td></td>
    <td colspan="8">
      <details>
        <summary>sub-agent · ${counted(agent.turns.length, 'turn')} · ${dollars(cost)}</summary>
        ${turnTable({ query: agent, id, words, nowMs }, agent.turns)}
      </details>
    </td>
  </tr> `;
}
