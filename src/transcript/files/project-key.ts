import { join } from 'node:path';
import { disk } from '../../disk/disk';

/** Folder name of a working folder under `projects`, as Claude Code and the Agent SDK derive it. */
function projectKey(cwd: string): string {
  return cwd.replace(/[^A-Za-z0-9]/g, '-');
}

export function transcriptPath(projectsFolder: string, cwd: string, sessionId: string): string {
  return join(projectsFolder, projectKey(cwd), `${sessionId}.jsonl`);
}

/** The session's transcript in whichever project folder it lies; the newest if there are several. */
export function findTranscript(projectsFolder: string, sessionId: string): string | undefined {
  return disk
    .readdirSync(projectsFolder)
    .map((key) => join(projectsFolder, key, `${sessionId}.jsonl`))
    .filter((path) => disk.existsSync(path))
    .map((path) => ({ path, mtimeMs: disk.statSync(path)?.mtimeMs ?? 0 }))
    .sort((a, b) => b.mtimeMs - a.mtimeMs)[0]?.path;
}
