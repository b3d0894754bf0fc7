// Plays the demo in a terminal of its own (`script`, Linux) and draws what it printed, when it printed it, as demo.svg.
// Needs the build. Run: node docs/images/demo-record.mjs
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const [CHAR, LINE, MARGIN, HOLD_MS] = [7.25, 18, 16, 5000];
const FILLS = { 31: '#ff7b72', 32: '#7ee787', 36: '#79c0ff' };
const root = fileURLToPath(new URL('../..', import.meta.url));

const demo = spawn('script', ['-qefc', 'node dist/demo/main.js', '/dev/null'], {
  cwd: root,
  env: { ...process.env, TERM: 'xterm-256color' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const startedAt = performance.now();
const lines = [];
for await (const text of createInterface(demo.stdout)) {
  lines.push({ text: text.trimEnd(), atMs: performance.now() - startedAt });
}
if (demo.exitCode === null) await once(demo, 'exit');
if (demo.exitCode !== 0) throw new Error(`The demo ended with exit code ${demo.exitCode}.`);
while (lines[0]?.text === '') lines.shift();

const escape = (text) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const plain = (text) => text.replace(/\x1b\[\d+m/g, '');
const lengthMs = lines.at(-1).atMs + HOLD_MS;
const width = Math.ceil(Math.max(...lines.map(({ text }) => plain(text).length)) * CHAR) + 2 * MARGIN;
const height = lines.length * LINE + 2 * MARGIN;

/** Escape sequences become styles that last until they are taken back. */
function spans(text) {
  const style = { fill: null, bold: false, dim: false, underline: false };
  return text
    .split(/\x1b\[(\d+)m/)
    .map((part, index) => {
      if (index % 2 === 0) return part === '' ? '' : span(part, style);
      const code = Number(part);
      if (code === 1) style.bold = true;
      if (code === 2) style.dim = true;
      if (code === 4) style.underline = true;
      if (code === 22) style.bold = style.dim = false;
      if (code === 24) style.underline = false;
      if (code === 39) style.fill = null;
      if (code in FILLS) style.fill = FILLS[code];
      return '';
    })
    .join('');
}

function span(text, { fill, bold, dim, underline }) {
  const styles = [
    fill && `fill="${fill}"`,
    bold && 'font-weight="bold"',
    dim && 'fill="#8b949e"',
    underline && 'text-decoration="underline"',
  ].filter(Boolean);
  return `<tspan${styles.map((one) => ` ${one}`).join('')}>${escape(text)}</tspan>`;
}

/** Hidden until its time; whoever wants no motion sees all at once. */
const shown = lines.map(({ atMs }, index) => {
  // A digit more is just a moment later.
  const at = ((atMs / lengthMs) * 100).toFixed(2);
  return `@keyframes l${index}{0%,${at}%{opacity:0}${at}1%,100%{opacity:1}}.l${index}{animation:l${index} ${lengthMs.toFixed(0)}ms infinite}`;
});
const texts = lines.map(({ text }, index) =>
  text === ''
    ? ''
    : `<text xml:space="preserve" class="l${index}" x="${MARGIN}" y="${MARGIN + LINE * (index + 0.75)}">${spans(text)}</text>`,
);

const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="npm start: a Worker is killed in the middle of a command, another one takes over, and the agent finishes its work">
<style>text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e6edf3;white-space:pre}@media(prefers-reduced-motion:no-preference){${shown.join('')}}</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${texts.filter(Boolean).join('\n')}
</svg>
`;
writeFileSync(new URL('demo.svg', import.meta.url), svg);
