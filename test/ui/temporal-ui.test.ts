// Needs: a Temporal server with its UI (started by the run) and Chromium (EVERLOOP_CHROMIUM, or the system's).
// EVERLOOP_SCREENSHOTS names a folder for pictures of what it sees.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Reply } from '../../src/scripted-model/reply';
import { withDurable, type Durable } from '../support/durable';
import { eventsOf, runsOf } from '../support/histories';
import { call, calls, says, text } from '../support/replies';
import { temporalUiUrl } from '../support/temporal';
import { findChromium, withPage } from './browser';

const chromium = findChromium();
const inBrowser = chromium === undefined ? test.skip : test;
if (chromium === undefined) {
  process.stdout.write(
    '  No Chromium here: the Temporal UI is not looked at. Set EVERLOOP_CHROMIUM.\n',
  );
}

const COMMAND = 'touch made';

const SCRIPT: readonly Reply[] = [
  {
    content: [
      text('I look around first.'),
      call('Bash', { command: 'sleep 2; ls -la' }),
      call('Glob', { pattern: '**/*.ts' }),
      call('Grep', { pattern: 'TODO' }),
    ],
  },
  calls(call('Bash', { command: COMMAND })),
  says('The version is raised.'),
];

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['EVERLOOP_SCREENSHOTS'];
  if (folder) await page.screenshot({ path: join(folder, `temporal-ui-${name}.png`) });
}

/** How many tool calls ran at the same time at most. */
async function overlapOf({ client }: Durable, workflowId: string): Promise<number> {
  const open = new Set<string>();
  let most = 0;
  for (const event of eventsOf(await runsOf(client, workflowId))) {
    const { activityTaskScheduledEventAttributes: scheduled } = event;
    if (scheduled?.activityType?.name === 'runTool') open.add(String(event.eventId));
    open.delete(String(event.activityTaskCompletedEventAttributes?.scheduledEventId));
    most = Math.max(most, open.size);
  }
  return most;
}

/** Other tests have calls that wait on the same server. */
const USER = `ada-${randomUUID().slice(0, 8)}`;

inBrowser(
  'an operator finds the query that waits, reads why, and approves in the form of the UI',
  () =>
    withDurable({ script: SCRIPT, attributes: { user: USER } }, async (durable) => {
      const id = await durable.say('Look around, then raise the version.', {
        isLast: true,
        options: { permissionMode: 'default', asks: 'people' },
      });
      const { workflowId } = durable.queryHandle(id);
      await durable.told(({ type }) => type === 'permission_requested');

      await withPage(chromium ?? '', async (page) => {
        await findInList(page, durable, workflowId);
        await picture(page, 'list');
        await page.getByRole('link', { name: workflowId }).first().click();
        await page.setViewportSize({ width: 1280, height: 1300 });
        await seeTimeline(page);
        await picture(page, 'timeline');
        await page.setViewportSize({ width: 1280, height: 900 });
        const json = await readDetails(page);
        await picture(page, 'details');
        await sendUpdate(page, json);
        expect((await durable.resultOf(id)).subtype).toBe('success');
      });

      expect(existsSync(join(durable.project, 'made'))).toBe(true);
      expect(await overlapOf(durable, workflowId)).toBeGreaterThan(1);
    }),
  300_000,
);

async function findInList(page: Page, { client }: Durable, workflowId: string): Promise<void> {
  const query = `EverloopStatus="awaiting-approval" AND EverloopUser="${USER}"`;
  // What the server lists is a moment behind, and the page looks once.
  while ((await client.workflow.count(query)).count < 1);
  const list = `${temporalUiUrl() ?? ''}/namespaces/default/workflows`;
  await page.goto(`${list}?query=${encodeURIComponent(query)}`);
  await page.getByRole('link', { name: workflowId }).first().waitFor();
  await page.getByText('1 Workflow', { exact: true }).waitFor();
}

async function seeTimeline(page: Page): Promise<void> {
  for (const summary of [
    'turn 1 · Bash sleep 2; ls -la',
    'turn 1 · Glob **/*.ts',
    `turn 2 · Bash ${COMMAND}`,
  ]) {
    await page.getByText(summary).first().waitFor();
  }
  await page.getByText(`turn 2 · Bash ${COMMAND}`).first().scrollIntoViewIfNeeded();
}

/** What the details say is to be pasted. */
async function readDetails(page: Page): Promise<string> {
  await page.getByRole('tab', { name: 'User Metadata' }).click();
  // Markdown is shown in frames of their own.
  const [summary, details] = [
    page.locator('iframe').first().contentFrame(),
    page.locator('iframe').last().contentFrame(),
  ];
  await summary.getByText('Look around, then raise the version.').waitFor();
  await details.getByText('awaiting-approval').waitFor();
  await details.getByText(COMMAND).first().waitFor();
  return details.locator('pre').first().innerText();
}

async function sendUpdate(page: Page, json: string): Promise<void> {
  await page.getByRole('button', { name: 'More Actions' }).first().click();
  await page.locator('[data-testid=update-button]:visible').click();
  const form = page.locator('#update-confirmation-modal[open]');
  await form.getByTestId('update-select-button').click();
  await form.getByRole('option', { name: /^approve/ }).click();
  await form.locator('.cm-content').fill(json);
  await picture(page, 'approve');
  // By key: the editor lays the JSON out when it is left, and the button moves away from under a mouse.
  await form.getByRole('button', { name: 'Submit' }).press('Enter');
}
