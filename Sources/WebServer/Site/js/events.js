// The stream of the theater's events. One tab of a browser holds it and tells the others, because the
// controller and HTTP/1.1 allow few streams. A stream that ends is resumed after its last event.
const SILENCE = 40_000; // The controller sends a comment every 15 s.
const WAITS = [500, 1000, 2000, 4000, 8000];

const open = (query, signal, lastID) => fetch(`/api/v1/events${query}`, { signal, cache: 'no-store', headers: lastID ? { 'Last-Event-ID': lastID } : {} });
/** The events of a stream, and `undefined` for each part of it without one. */
async function* eventsOf(answer) {
  const text = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ''; ;) {
    const { value, done } = await text.read();
    if (done) return;
    yield undefined;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop();
    for (const block of blocks) {
      const fields = { data: '' };
      for (const line of block.split('\n')) { const at = line.indexOf(': '); if (at > 0) fields[line.slice(0, at)] = line.slice(at + 2); }
      if (fields.event) yield { type: fields.event, value: JSON.parse(fields.data), id: fields.id };
    }
  }
}
/** Follows the levels of amplifiers on a stream of its own until `signal` aborts; it needs no earlier events. */
export async function followLevels(signal, lastID, heard) {
  try {
    const answer = await open('?levels=true', signal, lastID);
    if (answer.ok) for await (const one of eventsOf(answer)) if (one?.type === 'levels') heard(one.value);
  } catch { /* the next look at the state asks again */ }
}

/**
 * Follows the events until `signal` aborts.
 * @param event called with (type, value, id)
 * @param state called with 'live', 'lost' or 'loggedOut'
 * @returns an object with `retry()`, which does not wait for the next try
 */
export function follow({ event, state, signal }) {
  let lastID, wake = () => {}, leads = false;
  const channel = typeof BroadcastChannel === 'function' ? new BroadcastChannel('theater') : null;
  const tell = (message) => { if (leads) channel?.postMessage(message); };
  const take = ({ type, value, id, connection }) => {
    if (connection) state(connection);
    else { lastID = id; event(type, value, id); }
  };
  if (channel) {
    channel.onmessage = ({ data }) => {
      if (data.hello) { if (leads && lastID) wake('again'); } else if (!leads) take(data);
    };
    signal.addEventListener('abort', () => channel.close());
  }
  const pass = (message) => { tell(message); take(message); };

  async function lead() {
    leads = true;
    for (let failed = 0; !signal.aborted;) {
      const end = await read();
      if (signal.aborted) return;
      if (end === 'loggedOut') { pass({ connection: 'loggedOut' }); return; }
      if (end === 'again') { lastID = undefined; failed = 0; continue; }
      failed = end === 'was live' ? 1 : failed + 1;
      if (failed > 1) pass({ connection: 'lost' });
      await pause(WAITS[Math.min(failed, WAITS.length) - 1]);
    }
  }
  const pause = (time) => new Promise((done) => {
    const timer = setTimeout(done, time * (0.8 + 0.4 * Math.random()));
    wake = () => { clearTimeout(timer); done(); };
    signal.addEventListener('abort', wake, { once: true });
  });

  /** Reads one stream to its end. */
  async function read() {
    const stop = new AbortController();
    let live = false, again = false, timer;
    const listen = () => { clearTimeout(timer); timer = setTimeout(() => stop.abort(), SILENCE); };
    const abort = () => stop.abort();
    signal.addEventListener('abort', abort, { once: true });
    wake = (why) => { if (why === 'again') { again = true; stop.abort(); } };
    listen();
    try {
      const answer = await open('', stop.signal, lastID);
      if (answer.status === 401 || answer.status === 403) return 'loggedOut';
      if (!answer.ok) return 'refused';
      for await (const one of eventsOf(answer)) {
        listen();
        if (!live) { live = true; pass({ connection: 'live' }); }
        if (one) pass(one);
      }
    } catch { /* the connection broke, or the page gave up */ } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
    return again ? 'again' : live ? 'was live' : 'refused';
  }
  // The first tab leads; the next one follows as soon as it is gone.
  if (channel && navigator.locks) {
    navigator.locks.request('theater-events', { signal }, lead).catch(() => {});
    // A tab that follows asks the leading one for the whole state.
    setTimeout(() => { if (!leads && !signal.aborted) channel.postMessage({ hello: true }); }, 50);
  } else lead();
  return { retry: () => wake() };
}
