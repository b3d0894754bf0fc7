/** How much the Temporal UI shows of what a session does.
 *  `full`: first words of prompts, tool calls with a few words of their input.
 *  `names`: names of tools without their input.  `none`: turn numbers alone. */
export const UI_DETAILS = ['full', 'names', 'none'] as const;
export type UiDetail = (typeof UI_DETAILS)[number];

/** As it travels in messages and inputs. Absent: `full`. */
export type LimitedDetail = Exclude<UiDetail, 'full'>;
