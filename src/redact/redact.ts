import { redactNamedValues } from './named-values';
import { REDACTED } from './redacted';
import { RANDOM_TEXT, SECRET_SHAPES } from './secret-shapes';

/** The text without what looks like a secret: keys of the known providers, tokens, private keys, credentials in URLs,
 *  headers, commands and assignments. It errs on the side of hiding. Pure, and takes time in proportion to the text. */
export function redact(text: string): string {
  const shaped = SECRET_SHAPES.reduce((rest, shape) => rest.replace(shape, REDACTED), text);
  const placed = IN_PLACE.reduce((rest, place) => rest.replace(place, `$1${REDACTED}`), shaped);
  return redactNamedValues(placed).replace(RANDOM_TEXT, REDACTED);
}

/** Secrets that are known by where they stand. The first group stays. */
const IN_PLACE: readonly RegExp[] = [
  // Headers, in requests and in the words of curl.
  /\b((?:proxy-)?authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:(?:bearer|basic|token|digest|negotiate|apikey|aws4-hmac-sha256)\s{1,3})?)(?!\[redacted\])[^\s"']+(?:,\s?\w+=[^\s"',]+)*/gi,
  /\b((?:x-api-key|x-auth-token|x-amz-security-token|x-goog-api-key|api-key|private-token|ocp-apim-subscription-key)["']?\s{0,3}:\s{0,3}["']?)(?!\[redacted\])[^\s"']+/gi,
  /\b((?:set-)?cookie\s{0,3}:\s{0,3})(?!\[redacted\])[^\s"'][^\n"']*/gi,
  /\b(bearer\s{1,3})(?!\[redacted\])[\w.~+/=-]{8,}/gi,
  // scheme://user:password@host and scheme://token@host
  /\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/?#@"']{0,100}:)(?!\[redacted\]@)[^\s/?#@"']{1,500}(?=@)/gi,
  /\b([a-z][a-z0-9+.-]{1,20}:\/\/)(?!\[redacted\]@)[^\s:/?#@"']{16,500}(?=@)/gi,
  // ?key=... and signed URLs
  /([?&](?:key|code|sig|signature|token|access_token|id_token|refresh_token|auth|apikey|api_key|password|client_secret|x-amz-signature|x-amz-credential|x-goog-signature|awsaccesskeyid)=)(?!\[redacted\])[^\s&#"']+/gi,
  // Passwords in commands
  /(?<!\S)(curl\b[^\n]{0,500}?\s(?:-u|--user)\s{0,2}["']?[^\s:"']{1,100}:)(?!\[redacted\])[^\s"']+/g,
  /(?<!\S)((?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n]{0,300}?\s-p)(?!\[redacted\])[^\s"']+/g,
  /(?<!\S)(sshpass\s{1,3}-p\s{0,3})(?!\[redacted\])(?:"[^"]*"|'[^']*'|[^\s"']+)/g,
  /(?<!\S)((?:docker|podman|helm registry|az|oc)\s{1,3}login\b[^\n]{0,300}?\s-p\s{1,3})(?!\[redacted\])(?:"[^"]*"|'[^']*'|[^\s"']+)/g,
  /(?<!\S)(redis-cli\b[^\n]{0,300}?\s-a\s{1,3})(?!\[redacted\])(?:"[^"]*"|'[^']*'|[^\s"']+)/g,
];
