// The controller's API: JSON in, JSON out, one shape for every failure.
import { hasText, t } from './text.js';

export class Failure extends Error {
  /** @param status the HTTP status; 0 if the controller was not reached. */
  constructor(
    status,
    { code, message, hint, device, step, field, retryAfter, triesLeft, problems },
  ) {
    // The page has its own texts for frequent errors; for all others the controller's English text
    // says more. One code may be about several fields.
    const fieldKey = `error.${code}.${field}`;
    const key = hasText(fieldKey) ? fieldKey : `error.${code}`;
    const hintKey = `${key}.hint`;
    super(hasText(key) ? t(key) : message);
    /** Whether the controller refused, or was not reached. */
    this.kind = status === 0 ? 'network' : 'refused';
    Object.assign(this, {
      status,
      code,
      hint: hasText(key) ? hasText(hintKey) && t(hintKey) : hint,
      device,
      step,
      field,
      retryAfter,
      triesLeft,
      problems,
    });
  }
}

const unreachable = () => new Failure(0, { code: 'network' });

const STARTS = /^(\/rooms\/[^/]+)?\/(watch|listen|radio|activities|scenes\/.+\/runs)\b/;
/** The event of a start may arrive after the answer. */
const START_EVENT_DELAY_MS = 1000;
/** The number of requests that start something, counted until its event has arrived. */
let starting = 0;
/** Whether this page started the activity that starts now. */
export const isStartingHere = () => starting > 0;

let onLogout = () => {};
/** Sets the function that is called when the controller no longer accepts the session. */
export const setLogoutHandler = (action) => {
  onLogout = action;
};

/** Fetches an answer and its text, and counts the requests that start something. */
async function fetchText(path, { method, signal, ...options }) {
  const isStart = method === 'POST' && STARTS.test(path);
  if (isStart) starting += 1;
  try {
    const answer = await fetch(`/api/v1${path}`, { method, signal, cache: 'no-store', ...options });
    return { answer, text: await answer.text() };
  } catch (error) {
    if (signal?.aborted) throw error;
    throw unreachable();
  } finally {
    if (isStart) {
      setTimeout(() => {
        starting -= 1;
      }, START_EVENT_DELAY_MS);
    }
  }
}

function parse(text, status) {
  try {
    return text ? JSON.parse(text) : undefined;
  } catch {
    throw new Failure(status, { code: 'unreadable' });
  }
}

/**
 * Sends a request to a path below /api/v1 and returns the value of the answer.
 * @param wait seconds to wait for the end of what was started
 * @param allows401 whether a 401 does not end the session
 * @param isText whether the body is JSON already
 * @throws Failure
 */
export async function send(
  method,
  path,
  body,
  { wait, signal, allows401, isText, headers: more } = {},
) {
  const headers = { ...more };
  if (method !== 'GET') headers['X-Theater'] = '1';
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (wait !== undefined) headers.Prefer = `wait=${wait}`;
  const { answer, text } = await fetchText(path, {
    method,
    headers,
    signal,
    body: body === undefined || isText ? body : JSON.stringify(body),
  });
  const value = parse(text, answer.status);
  if (answer.ok) return value;
  const failure = new Failure(
    answer.status,
    value?.error ?? { code: 'unknown', message: t('error.answered', { status: answer.status }) },
  );
  if (answer.status === 401 && !allows401) onLogout();
  throw failure;
}
/** An address with its values encoded: path`/devices/${id}`. */
export const path = (parts, ...values) =>
  parts.reduce((whole, part, index) => whole + encodeURIComponent(values[index - 1]) + part);
export const get = (path, options) => send('GET', path, undefined, options);
export const post = (path, body, options) => send('POST', path, body, options);
export const remove = (path, options) => send('DELETE', path, undefined, options);
/** A request of a person without a session: a 401 ends none. */
export const postOpen = (path, body, options) => post(path, body, { ...options, allows401: true });
