import { REDACTED } from './redacted';

/** `NAME=value`, `"name": "value"`, `name: value`. */
const ASSIGNMENT =
  /(?<![\w.-])(-{0,2}[A-Za-z_][\w.-]{0,80})(["']?\s{0,3}(?:=>|:=|=|:)\s{0,3})("[^"\n]{1,2000}"?|'[^'\n]{1,2000}'?|[^\s"'`;&|,<>(){}[\]=][^\s"'`;&|,<>(){}]{0,2000})/g;

/** `--name value`. */
const OPTION =
  /(?<!\S)(--?[A-Za-z][\w-]{2,60})(\s{1,3})("[^"\n]{1,2000}"?|'[^'\n]{1,2000}'?|[^\s"'`;&|-][^\s"'`;&|]{0,2000})/g;

const SECRET_WORD =
  /pass(?:word|wd|phrase|code)|secret|credential|(?:^|[_.-])(?:pwd|auth|sig|signature|cookie|pin|otp)$|authori[sz]ation|authtoken|(?:_|^|\b)dsn$|connection_?string/;
const TOKEN_WORD = /token(?!s\b|s$|iz|_?count|_?limit|_?usage)/;
const KEY_WORD =
  /(?:api|access|account|auth|encryption|master|license|private|secret|shared|signing|service|session|webhook|storage|deploy)[_.-]?key/;
/** As environment variables are named. */
const KEY_VARIABLE = /^(?:[A-Z0-9_]*_)?KEY$/;

/** Not secrets, for all their names: folders, counts, and words that say where a secret lies. */
const HARMLESS_NAME = /^(?:old)?pwd$|max.{0,20}token|(?:file|path|dir|name|url|type|id|length)$/;

function isSecretName(written: string): boolean {
  const name = written.replace(/^--?/, '');
  const lower = name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  if (HARMLESS_NAME.test(lower)) return false;
  return (
    KEY_VARIABLE.test(name) ||
    SECRET_WORD.test(lower) ||
    TOKEN_WORD.test(lower) ||
    KEY_WORD.test(lower)
  );
}

/** A variable that is read, or what stands there already. */
const isPlaceholder = (value: string): boolean => /^["']?(?:\$|\[redacted\])/.test(value);

/** Values that their name gives away. */
export const redactNamedValues = (text: string): string => hide(hide(text, ASSIGNMENT), OPTION);

/** A value under a harmless name may hold names and values of its own: `"command": "TOKEN=… npm test"`. */
function hide(text: string, named: RegExp): string {
  const shown: string[] = [];
  let from = 0;
  for (let found = named.exec(text); found !== null; found = named.exec(text)) {
    const [, name = '', between = '', value = ''] = found;
    const valueAt = found.index + name.length + between.length;
    if (isSecretName(name) && !isPlaceholder(value)) {
      shown.push(text.slice(from, valueAt), REDACTED);
      from = named.lastIndex;
    } else {
      named.lastIndex = valueAt;
    }
  }
  return [...shown, text.slice(from)].join('');
}
