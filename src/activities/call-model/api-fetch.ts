import { UnusableAnswer } from './unusable-answer';

const ANYWAY = 'Check ANTHROPIC_BASE_URL and what lies between this machine and the API.';

/** `fetch` for the API's client. It follows no redirect, which would hand the key to whoever is named there; it
 *  takes no web page for an answer; it ends an answer that has no end; and it sends well-formed text only.
 *  Fails: as `fetch`, or with UnusableAnswer. */
export function createApiFetch(longestBytes: number): typeof fetch {
  return async (input, init) => {
    const { body } = init ?? {};
    const response = await fetch(input, {
      ...init,
      ...(typeof body === 'string' && { body: wellFormed(body) }),
      redirect: 'manual',
    });
    const unusable = unusableOf(response);
    if (unusable !== null) {
      await response.body?.cancel();
      throw unusable;
    }
    const limited = response.body?.pipeThrough(limitOf(longestBytes));
    const { status, statusText, headers } = response;
    return limited === undefined
      ? response
      : new Response(limited, { status, statusText, headers });
  };
}

function unusableOf({ status, headers, url }: Response): UnusableAnswer | null {
  const location = headers.get('location');
  if (status >= 300 && status < 400) {
    const place = location === null ? 'somewhere else' : `to ${location.slice(0, 200)}`;
    return new UnusableAnswer(
      `${url} redirects ${place}. Keys are not sent on: if that place is the API, set ANTHROPIC_BASE_URL to it.`,
      status,
      false,
    );
  }
  if (status === 200 && /^text\/html/i.test(headers.get('content-type') ?? '')) {
    return new UnusableAnswer(`${url} answered with a web page. ${ANYWAY}`, status, true);
  }
  return null;
}

function limitOf(longestBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes <= longestBytes) controller.enqueue(chunk);
      else {
        const megabytes = longestBytes / 1024 ** 2;
        controller.error(
          new UnusableAnswer(
            `The answer is longer than ${megabytes} MB, and has no end. ${ANYWAY}`,
            null,
            false,
          ),
        );
      }
    },
  });
}

/** Half a character, left by a cut in some text, is written as an escape by JSON, and the API refuses the whole
 *  request for it, every time. */
function wellFormed(json: string): string {
  if (!json.includes('\\ud')) return json;
  return json.replace(/\\(?:\\|ud[89a-f][0-9a-f]{2})/g, (found) =>
    found === '\\\\' ? found : '\\ufffd',
  );
}
