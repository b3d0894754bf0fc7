import type * as library from '@earendil-works/pi-tui' with { 'resolution-mode': 'import' };

/** The terminal library is an ES module; only the interactive command pays for loading it. */
export type TuiLibrary = typeof library;

export type {
  AutocompleteItem,
  AutocompleteProvider,
  AutocompleteSuggestions,
  Component,
  EditorTheme,
  MarkdownTheme,
  Terminal,
} from '@earendil-works/pi-tui' with { 'resolution-mode': 'import' };

export const loadTuiLibrary = (): Promise<TuiLibrary> => import('@earendil-works/pi-tui');
