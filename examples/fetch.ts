/** Any SDK that takes a `fetch` of one's own: each request is shaped on its way out, and goes out byte for byte if it fits. */
import { shapeRequest } from 'chitta';

/** A `fetch` for one conversation with a model of so many tokens. */
export function shapingFetch(window: number): typeof fetch {
  let state: unknown = {};
  return (input, init) => {
    if (typeof init?.body !== 'string') return fetch(input, init);
    const request: unknown = JSON.parse(init.body);
    if (typeof request !== 'object' || request === null || !('messages' in request)) return fetch(input, init);
    const shaped = shapeRequest(request, { window, state });
    state = shaped.state;
    return fetch(input, shaped.request === request ? init : { ...init, body: JSON.stringify(shaped.request) });
  };
}
