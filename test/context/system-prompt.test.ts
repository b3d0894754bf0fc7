import { buildSystemPrompt, type Environment } from '../../src/context/system-prompt';

const environment: Environment = {
  workingDirectory: '/project',
  additionalDirectories: [],
  platform: 'linux',
  date: '2026-11-21',
  isGitRepository: true,
  git: null,
  model: 'claude-sonnet-4-5',
};
const ours = { systemPrompt: null, appendSystemPrompt: null };

test('the default prompt says who the agent is and where it works', () => {
  const [instructions, place] = buildSystemPrompt(environment, ours);

  expect(instructions).toMatch(/^You are everloop/);
  expect(place).toContain('Working folder: /project\nGit repository: yes\nPlatform: linux');
  expect(place).not.toContain('More working folders');
});

test('text may be appended, and the prompt may be replaced', () => {
  const appended = buildSystemPrompt(environment, {
    ...ours,
    appendSystemPrompt: 'Mention zebras.',
  });
  const replaced = buildSystemPrompt(environment, {
    systemPrompt: 'Mine.',
    appendSystemPrompt: 'And this.',
  });

  expect(appended.slice(2)).toEqual(['Mention zebras.']);
  expect(replaced).toEqual(['Mine.', 'And this.']);
});

test('an empty prompt leaves no empty block, which the API would refuse', () => {
  expect(buildSystemPrompt(environment, { systemPrompt: '', appendSystemPrompt: ' ' })).toEqual([]);
});

test('equal arguments give equal bytes', () => {
  expect(buildSystemPrompt({ ...environment }, ours)).toEqual(buildSystemPrompt(environment, ours));
});
