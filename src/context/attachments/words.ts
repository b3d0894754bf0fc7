const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** Too common to say what a text is about. */
const COMMON: ReadonlySet<string> = new Set(
  `about after all also and any are back been before but can code could did does done file for from get
  had has have help her here him his how into its just let like look make may more much need new not now off one
  only our out over own please say see she should some tell than that the their them then there these they this
  those too use using very want was way well were what when where which while who why will with would you your`.split(
    /\s+/,
  ),
);

/** What comes later says no more of what it is about. */
const MOST_CHARS = 100_000;

/** Up to the end of a word where there is one: each segment holds a copy of the whole piece. */
const PIECES = /[^]{1,500}(?=\s|$)|[^]{1,500}/g;

/** The words that say what a text is about: in small letters, English plurals as the singular. Also finds words
 *  in scripts that write none apart. Looks at the beginning of a text that is very long. */
export function wordsOf(text: string): ReadonlySet<string> {
  const plain = text.slice(0, MOST_CHARS).toLowerCase();
  const pieces = plain.replace(/[-_./\\]/g, ' ').match(PIECES) ?? [];
  const words = pieces
    .flatMap((piece) => [...segmenter.segment(piece)])
    .filter(({ isWordLike, segment }) => isWordLike === true && isTelling(segment))
    .map(({ segment }) => segment);
  return new Set(words.filter((word) => !COMMON.has(word)).map(toSingular));
}

/** In most scripts two letters can be a whole noun; in Latin letters hardly. */
function isTelling(word: string): boolean {
  return word.length >= (/^[\p{Script=Latin}\p{N}']+$/u.test(word) ? 3 : 2);
}

function toSingular(word: string): string {
  return /^[a-z]{3,}[^s]s$/.test(word) ? word.slice(0, -1) : word;
}
