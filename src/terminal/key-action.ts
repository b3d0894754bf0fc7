/** What a key does, whatever has the focus. */
export type KeyAction =
  | 'interrupt'
  | 'detach'
  | 'leave'
  | 'clear_input'
  /** The next Ctrl-C leaves. */
  | 'warn'
  | 'interrupt_and_warn'
  | 'expand'
  | 'next_mode';

export interface KeyState {
  readonly isWorking: boolean;
  readonly isInputEmpty: boolean;
  /** The completion list is open: Esc closes it. */
  readonly isCompleting: boolean;
  /** A dialog has the focus: Esc answers it. */
  readonly isAsking: boolean;
  /** Ctrl-C was pressed a moment ago. */
  readonly isWarned: boolean;
}

/** null: the key is for whoever has the focus. `key`: its name, "ctrl+c". */
export function keyAction(key: string, state: KeyState): KeyAction | null {
  switch (key) {
    case 'ctrl+c':
      if (state.isWarned) return 'leave';
      if (!state.isInputEmpty) return 'clear_input';
      return state.isWorking ? 'interrupt_and_warn' : 'warn';
    case 'ctrl+d':
      return state.isInputEmpty && !state.isAsking ? 'leave' : null;
    case 'escape':
      return state.isWorking && !state.isCompleting && !state.isAsking ? 'interrupt' : null;
    case 'ctrl+b':
      return 'detach';
    case 'ctrl+o':
      return 'expand';
    case 'shift+tab':
      return state.isAsking ? null : 'next_mode';
    default:
      return null;
  }
}
