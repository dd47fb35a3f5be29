// The stream of the theater's events. One tab of a browser holds it and tells the others, because the
// controller and HTTP/1.1 allow few streams. A stream that ends is resumed after its last event.
const SILENCE = 40_000; // The controller sends a comment every 15 s.
const ANSWER = 3000;
const WAITS = [500, 1000, 2000, 4000, 8000];

const open = (query, signal, lastID) =>
  fetch(`/api/v1/events${query}`, {
    signal,
    cache: 'no-store',
    headers: lastID ? { 'Last-Event-ID': lastID } : {},
  });
/** Yields the events of each received part of a stream as a list, which is empty after a comment. */
async function* eventsOf(answer) {
  const text = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = '';;) {
    const { value, done } = await text.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop();
    yield blocks.map(eventOf).filter((one) => one.type);
  }
}
function eventOf(block) {
  const fields = {};
  for (const line of block.split('\n')) {
    const at = line.indexOf(': ');
    if (at > 0) fields[line.slice(0, at)] = line.slice(at + 2);
  }
  return fields.event ? { type: fields.event, value: JSON.parse(fields.data), id: fields.id } : {};
}
/** Follows the levels of amplifiers on a stream of its own until `signal` aborts; with `lastID` it starts without a snapshot. */
export async function followLevels(signal, lastID, heard) {
  try {
    const answer = await open('?levels=true', signal, lastID);
    if (answer.ok) {
      for await (const part of eventsOf(answer)) {
        for (const one of part) if (one.type === 'levels') heard(one.value);
      }
    }
  } catch { /* the next look at the state asks again */ }
}

/**
 * Follows the events until `signal` aborts.
 * @param event called with (type, value, id)
 * @param state called with 'live', 'lost', 'full' (too many streams) or 'loggedOut'
 * @returns `retry()`, which does not wait for the next try, and `renew()`, which opens the stream again
 */
export function follow({ event, state, signal }) {
  let lastID, wake = () => {}, leads = false, isOver = false, connection, timer, queued;
  const channel = typeof BroadcastChannel === 'function' && navigator.locks
    ? new BroadcastChannel('theater')
    : null;
  const post = (message) => {
    if (leads) channel?.postMessage(message);
  };
  const handle = ({ type, value, id, connection: next }) => {
    if (next) {
      connection = next;
      state(next);
    } else if (type) {
      lastID = id;
      event(type, value, id);
    }
  };
  const pass = (message) => {
    post(message);
    handle(message);
  };
  /** Reads the whole state. */
  const renew = () => {
    lastID = undefined;
    wake('again');
  };
  if (channel) {
    channel.onmessage = ({ data }) => {
      if (!data.asks) {
        if (!leads) {
          handle(data);
          expect();
        }
        return;
      }
      if (!leads) return;
      post({ connection });
      if (data.asks === 'state') renew();
      else if (data.asks === 'retry') wake();
    };
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      channel.close();
    });
  }

  async function lead(mine) {
    leads = true;
    clearTimeout(timer);
    for (let failed = 0; !mine.aborted;) {
      const end = await read(mine);
      if (mine.aborted) return;
      if (end === 'loggedOut') {
        isOver = true;
        pass({ connection: end });
        return;
      }
      if (end === 'again') {
        failed = 0;
        continue;
      }
      failed = end === 'was live' ? 1 : failed + 1;
      if (failed > 1 || end === 'full') pass({ connection: end === 'full' ? end : 'lost' });
      await pause(WAITS[Math.min(failed, WAITS.length) - 1], mine);
    }
  }
  const pause = (time, mine) =>
    new Promise((done) => {
      const over = setTimeout(done, time * (.8 + .4 * Math.random()));
      wake = () => {
        clearTimeout(over);
        done();
      };
      mine.onabort = wake;
    });

  /** Reads one stream to its end. */
  async function read(mine) {
    const stop = new AbortController();
    let live = false, again = false, silence;
    const listen = () => {
      clearTimeout(silence);
      silence = setTimeout(() => stop.abort(), SILENCE);
    };
    wake = (why) => {
      if (why === 'again') {
        again = true;
        stop.abort();
      }
    };
    listen();
    try {
      const answer = await open('', AbortSignal.any([mine, stop.signal]), lastID);
      if (answer.status === 401 || answer.status === 403) return 'loggedOut';
      if (answer.status === 429) return 'full';
      if (!answer.ok) return 'refused';
      for await (const part of eventsOf(answer)) {
        listen();
        if (mine.aborted) break;
        if (!live) {
          live = true;
          pass({ connection: 'live' });
        }
        // Without a wait between them, so that the page is drawn once for them.
        part.forEach(pass);
      }
    } catch {
      /* the connection broke, or the page gave up */
    } finally {
      clearTimeout(silence);
    }
    return again ? 'again' : live ? 'was live' : 'refused';
  }

  // One tab reads the stream; when it closes, the next takes over. A suspended tab keeps the lock but
  // answers nothing: then another one takes the lock.
  async function queue(steal) {
    const reign = new AbortController(), mine = AbortSignal.any([signal, reign.signal]);
    queued?.abort();
    queued = steal ? undefined : new AbortController();
    try {
      await navigator.locks.request(
        'theater-events',
        steal ? { steal } : { signal: AbortSignal.any([signal, queued.signal]) },
        () => lead(mine),
      );
    } catch { /* another tab has the lock now, or this one is closed */ }
    if (!leads) return;
    leads = false;
    reign.abort();
    if (!signal.aborted && !isOver) {
      queue();
      expect();
    }
  }
  const expect = () => {
    clearTimeout(timer);
    timer = setTimeout(() => ask('sign'), SILENCE);
  };
  /** Asks the tab that leads, and takes its place if it gives no sign. */
  function ask(what) {
    if (leads || signal.aborted) return;
    channel.postMessage({ asks: what });
    clearTimeout(timer);
    timer = setTimeout(() => queue(true), ANSWER);
  }
  if (channel) {
    queue();
    setTimeout(() => ask('state'), 50);
  } else lead(signal);
  return {
    retry: () => (leads ? wake() : ask('retry')),
    renew: () => (leads ? renew() : ask('state')),
  };
}
