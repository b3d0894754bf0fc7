/** The files of one command in its call folder. */
export interface CommandFiles {
  /** What the model wrote. */
  readonly command: string;
  /** Claimed by the wrapper before it runs the command, or by a later attempt, so that it never will. */
  readonly process: string;
  /** stdout and stderr, in order. */
  readonly output: string;
  /** The exit code; complete when it ends with a line end. */
  readonly exit: string;
  /** The folder in which the shell ended. */
  readonly folder: string;
}

/** Exit code of a wrapper that found its start claimed by another attempt. */
const CLAIM_LOST = 125;

/** Shell text around the Bash of a command, which keeps it in. */
export interface Surround {
  readonly before: string;
  readonly after: string;
}

/** A POSIX shell that names itself, runs the command in a Bash of its own and writes the exit code.
 *  It outlives the command whatever that does (exit, exec, syntax errors, signals to its own group), and
 *  starts no process but that Bash: each costs a millisecond. */
export function wrapperScript(
  files: CommandFiles,
  lockLimit: string,
  { before, after }: Surround = { before: '', after: '' },
): string {
  const noteFolder = `builtin pwd -P 2>/dev/null >|${quote(files.folder)} || :`;
  // The command is read by eval, so that messages name its own lines, and it sees no variable of ours.
  const limit = `ulimit -Sx ${lockLimit} 2>/dev/null`;
  // Where memory runs out, the system ends the command and not the Worker.
  const first = '{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null';
  const inner = `${limit}; ${first}; trap ${quote(noteFolder)} EXIT; eval "$(<${quote(files.command)})"`;
  return `
trap : HUP INT QUIT TERM
boot=-
if [ -r /proc/$$/stat ]; then
  read -r stat </proc/$$/stat
  set -- $stat
  started=\${22}
  [ -r /proc/sys/kernel/random/boot_id ] && read -r boot </proc/sys/kernel/random/boot_id
else
  started=$(LC_ALL=C TZ=UTC0 ps -o lstart= -p $$)
fi
set -C
{ echo $$ "$boot" $started >${quote(files.process)}; } 2>/dev/null || exit ${CLAIM_LOST}
set +C
${before} bash --noprofile --norc -c ${quote(inner)} ${after}
code=$?
echo $code >${quote(files.exit)}
exit $code
`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
