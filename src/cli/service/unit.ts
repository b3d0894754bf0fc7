/** What the system's service manager is told to run. */
export interface ServiceRun {
  readonly name: string;
  /** Absolute paths of Node and of our launcher. */
  readonly node: string;
  readonly launcher: string;
  /** Not secret: what the Worker is configured with. */
  readonly environment: Readonly<Record<string, string>>;
  /** Absolute path of a file with `NAME=value` lines: credentials. */
  readonly secretsFile: string;
  readonly logFile: string;
}

/** A systemd user unit. Only the Worker itself is ended with the service: the server and commands of tools outlive
 *  it, as they outlive any Worker. */
export function toSystemdUnit(run: ServiceRun): string {
  const { environment } = run;
  // A command's words are searched for variables, the values of variables are not.
  const words = command(run)
    .map((word) => systemdQuoted(word.replaceAll('$', '$$$$')))
    .join(' ');
  const variables = Object.entries(environment).map(
    ([name, value]) => `Environment=${systemdQuoted(`${name}=${value}`)}`,
  );
  return `[Unit]
Description=everloop: background Worker and its Temporal server
After=network-online.target
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=${words}
${variables.join('\n')}
Restart=always
RestartSec=1
KillMode=process
TimeoutStopSec=30

[Install]
WantedBy=default.target
`;
}

/** A launchd agent; commands of tools outlive it. */
export function toLaunchdPlist(run: ServiceRun): string {
  const { name, environment, logFile } = run;
  const strings = command(run).map((word) => `    <string>${escaped(word)}</string>`);
  const variables = Object.entries(environment).map(
    ([key, value]) => `    <key>${escaped(key)}</key><string>${escaped(value)}</string>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${escaped(name)}</string>
  <key>ProgramArguments</key>
  <array>
${strings.join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.join('\n')}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
  <key>AbandonProcessGroup</key><true/>
  <key>StandardOutPath</key><string>${escaped(logFile)}</string>
  <key>StandardErrorPath</key><string>${escaped(logFile)}</string>
</dict>
</plist>
`;
}

/** Node itself reads the credentials, so that no unit holds them and both systems treat them alike. */
const command = ({ node, launcher, secretsFile }: ServiceRun): readonly string[] => [
  node,
  `--env-file=${secretsFile}`,
  launcher,
  'worker',
];

/** `%` begins a specifier. Source: systemd.syntax(7), systemd.unit(5). */
function systemdQuoted(word: string): string {
  const text = word.replaceAll('%', '%%').replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  return `"${text}"`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
