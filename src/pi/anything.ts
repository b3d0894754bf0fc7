/** What belongs to the application: tool details, a model's own settings. Code written for Pi reads it without a
 *  cast, so it cannot be `unknown` here. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- see above
export type Anything = any;
