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

const SESSION_FILE = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/;

/** Transcripts of sessions; with `cwd`, of that folder alone. Other files lie beside them: conversations of
 *  sub-agents, and what other programs keep. */
export function listTranscripts(
  projectsFolder: string,
  cwd?: string,
): readonly { readonly sessionId: string; readonly path: string; readonly mtimeMs: number }[] {
  const keys = cwd === undefined ? disk.readdirSync(projectsFolder) : [projectKey(cwd)];
  return keys.flatMap((key) => {
    const folder = join(projectsFolder, key);
    if (disk.statSync(folder)?.isDirectory() !== true) return [];
    return disk.readdirSync(folder).flatMap((name) => {
      const sessionId = SESSION_FILE.exec(name)?.[1];
      if (sessionId === undefined) return [];
      const path = join(folder, name);
      return { sessionId, path, mtimeMs: disk.statSync(path)?.mtimeMs ?? 0 };
    });
  });
}
