import { loadTuiLibrary } from '../terminal/tui-library';

/** Columns that a terminal takes for a text: two for a wide character or an emoji, none for what it combines with. */
export type WidthOf = (text: string) => number;

/** The measure of the library that the terminal screen is drawn with. It is an ES module, so only who draws loads it. */
export const loadWidthOf = async (): Promise<WidthOf> => (await loadTuiLibrary()).visibleWidth;
