import { createHash } from 'node:crypto';
import { instantText } from './figures';
import type { SessionFacts } from './facts';
import { gapsHtml, headHtml, titleOf } from './head';
import { html, Html } from './html';
import { overviewHtml } from './overview';
import { pieceCount, querySection } from './query-section';
import { queryId } from './row-id';
import { SCRIPT } from './script';
import { shortened } from './shortened';
import type { ShownWords } from './shown-words';
import { STYLE } from './style';
import { totalsOf } from './totals';

/** Stands near the beginning of every page: whoever writes one over another knows it by that. */
export const PAGE_MARK = '<meta name="generator" content="everloop session page">';

/** A session as one HTML document that needs nothing else: it opens from a file, and its policy forbids it to ask any
 *  server for anything. Pure. At most some MB: see `shortened`. */
export function sessionPage(session: SessionFacts, words: ShownWords): string {
  const totals = totalsOf(session);
  const short = shortened(session.queries);
  const { seenMs: nowMs } = session;
  const pieces = pieceCount(short.queries, words);
  const sections = session.queries.flatMap((whole, index) => {
    const query = short.queries.find((one) => one.queryId === whole.queryId);
    const own = words.of(whole);
    return query === undefined
      ? []
      : [querySection(query, { id: queryId(index), number: index + 1, words: own, nowMs, pieces })];
  });
  const overview = pieces > 1 ? overviewHtml(session.queries, { words, nowMs }) : null;
  const body = html`<main>
    ${headHtml(session, totals, words)}${gapsHtml(session.history, short)}${LEGEND}${overview}${sections}${footHtml(session, words)}
  </main> `;
  return document(titleOf(session, words), body).markup;
}

/** Styles lie on elements; one script is known by its digest, and nothing else may run or be loaded. */
const POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  `script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Not laid out with the page: the digest is of every byte between the tags. */
const SCRIPTS = new Html(`<script>${SCRIPT}</script>`);
const STYLES = new Html(`<style>${STYLE}</style>`);

const document = (title: string, body: Html): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        ${new Html(PAGE_MARK)}
        <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <link rel="icon" href="data:," />
        <title>${title}</title>
        ${STYLES}
      </head>
      <body>
        ${body}${SCRIPTS}
      </body>
    </html> `;

const LEGEND = html`<ul class="legend" aria-label="Colours">
  <li><span class="bar model committed"></span>model</li>
  <li><span class="bar model discarded"></span>model call that failed</li>
  <li><span class="bar tool ok"></span>tool</li>
  <li><span class="bar tool error"></span>✕ error</li>
  <li><span class="bar tool unknown"></span>? outcome unknown</li>
  <li><span class="bar tool denied"></span>⊘ denied</li>
  <li><span class="bar tool agent"></span>sub-agent</li>
  <li><span class="bar tool waiting"></span>waits for people</li>
  <li>
    <span class="bar tool"><i class="lost"></i></span>attempt that was lost
  </li>
  <li><span class="sign">⚡</span>another Worker</li>
  <li><span class="sign">⟳</span>Event History begins anew</li>
  <li><span class="sign">↻</span>retry</li>
</ul> `;

function footHtml({ seenMs, sessionId }: SessionFacts, words: ShownWords): Html {
  const said = words.isFull
    ? 'Texts are cut at 200 characters, and what looks like a secret is hidden.'
    : 'What was said is not shown (EVERLOOP_UI_DETAIL).';
  return html`<footer>
    <p>
      ${said} Made by <code>everloop show --html ${sessionId}</code> at ${instantText(seenMs)}.
      Point at a bar for more; follow it to its row.
    </p>
  </footer> `;
}
