import { excludes } from './excluded-command';
import type { SandboxSettings } from './sandbox-settings';

/** What the commands of one session may touch, where they can be kept in. */
export interface Sandbox {
  /** Of bubblewrap. Absolute. */
  readonly program: string;
  readonly settings: SandboxSettings;
  readonly places: SandboxPlaces;
  /** The words that start `network-launcher`. */
  readonly launcher: readonly string[];
}

/** All absolute. */
export interface SandboxPlaces {
  /** Written as well as read: what the session works on. */
  readonly roots: readonly string[];
  /** Read, although it lies in a folder that is closed: what the session has stored for its commands. */
  readonly readable: readonly string[];
  /** Where the session's commands find their temporary files. */
  readonly temporary: string;
  /** Of everloop: keys, transcripts and the server's database. */
  readonly home: string;
  readonly userHome: string;
  /** Of the user's settings. */
  readonly configDir: string;
}

/** What a session says of itself. Paths are absolute. */
export interface SandboxedSession {
  readonly sessionId: string;
  /** true: it belongs to the background Worker, and nobody watches what it does. */
  readonly isBackground: boolean;
  readonly roots: SandboxPlaces['roots'];
  readonly readable: SandboxPlaces['readable'];
}

export type SandboxState =
  /** Commands have the rights of the Worker. */
  | { readonly type: 'off' }
  | { readonly type: 'on'; readonly sandbox: Sandbox }
  /** One is wanted, and there is none. */
  | {
      readonly type: 'unavailable';
      /** What failed, and the cure. */
      readonly message: string;
      /** true: better no command than one without. */
      readonly refuses: boolean;
    };

/** How one command runs. */
export type Confinement =
  | { readonly type: 'confined'; readonly sandbox: Sandbox }
  /** `isAsked`: it would be confined, had the model not asked for the contrary. */
  | { readonly type: 'free'; readonly isAsked: boolean }
  | { readonly type: 'refused'; readonly message: string };

const FREE: Confinement = { type: 'free', isAsked: false };

/** `wantsOut`: the model says that the command cannot run inside. */
export function confinementOf(
  state: SandboxState,
  { command, wantsOut }: { readonly command: string; readonly wantsOut: boolean },
): Confinement {
  switch (state.type) {
    case 'off':
      return FREE;
    case 'unavailable':
      return state.refuses ? { type: 'refused', message: state.message } : FREE;
    case 'on': {
      const { settings } = state.sandbox;
      if (excludes(settings.excludedCommands, command)) return FREE;
      if (!wantsOut) return { type: 'confined', sandbox: state.sandbox };
      return settings.allowUnsandboxed
        ? { type: 'free', isAsked: true }
        : { type: 'refused', message: STAYS_INSIDE };
    }
  }
}

const STAYS_INSIDE =
  'dangerouslyDisableSandbox is off: the settings of this session (sandbox.allowUnsandboxedCommands) keep every command ' +
  'in the sandbox. Run the command without it, or tell the user what it would need.';
