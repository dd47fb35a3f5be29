// The stream of the theater's events. One tab of a browser holds it and tells the others, because
// the controller and HTTP/1.1 allow few streams. A stream that ends is resumed after its last
// event.

/** The controller sends a comment every 15 s: after this time without any, a stream is broken. */
const SILENCE_MS = 40_000;
/** How long a tab waits for a sign of the leading one before it takes its place. */
const SIGN_MS = 3000;
/** Enough time for a leading tab to be found before its state is asked for. */
const FIRST_QUESTION_MS = 50;
/** Pauses before the next try, by the number of failed ones. */
const RETRY_PAUSES_MS = [500, 1000, 2000, 4000, 8000];
/** The controller needs a moment to see that a stream was ended, which frees its place. */
const REOPEN_PAUSE_MS = 100;
const LOCK = 'theater-events';
/** How often a tab that shows levels asks the leading one for them. */
const LEVELS_QUESTION_MS = 4000;
/** How long levels stay on the stream after the last tab has asked for them. */
const LEVELS_KEPT_MS = 10_000;

const open = (hasLevels, signal, lastID) =>
  fetch(`/api/v1/events${hasLevels ? '?levels=true' : ''}`, {
    signal,
    cache: 'no-store',
    headers: lastID ? { 'Last-Event-ID': lastID } : {},
  });

/**
 * Yields the events of each received part of a stream as a list, which is empty after a comment.
 */
async function* eventsOf(answer) {
  const text = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  while (true) {
    const { value, done } = await text.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop();
    yield blocks.map(eventOf).filter(({ type }) => type);
  }
}
function eventOf(block) {
  const fields = {};
  for (const line of block.split('\n')) {
    const colon = line.indexOf(': ');
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 2);
  }
  return fields.event ? { type: fields.event, value: JSON.parse(fields.data), id: fields.id } : {};
}

/**
 * Follows the events in one tab. One tab leads: it reads the stream and passes its events on. When
 * it closes, the next takes over. A suspended tab keeps the lock but answers nothing: then another
 * one takes the lock.
 */
class Follower {
  constructor({ onEvent, onLevels, onConnection, signal }) {
    Object.assign(this, { onEvent, onLevels, onConnection, signal });
    const canShare = typeof BroadcastChannel === 'function' && navigator.locks;
    this.channel = canShare ? new BroadcastChannel('theater') : null;
    this.lastID = undefined;
    /** The last reported state of the connection. */
    this.connection = undefined;
    this.isLeader = false;
    this.isLoggedOut = false;
    /** Ends the wait for the lock. */
    this.waiting = undefined;
    /** Runs until the leading tab is asked for a sign, then until it is replaced. */
    this.timer = undefined;
    /** Ends the pause before the next try; with `mustReopen`, also ends the current stream. */
    this.interrupt = () => {};
    /** Whether this tab shows levels, and the timer of its questions for them. */
    this.showsLevels = false;
    this.levelsTimer = undefined;
    /** Whether the stream of the leading tab carries levels, and the timer that ends that. */
    this.hasLevels = false;
    this.levelsEnd = undefined;
  }
  start() {
    if (!this.channel) {
      this.lead(this.signal);
      return;
    }
    this.channel.onmessage = ({ data }) => this.receive(data);
    this.signal.addEventListener('abort', () => {
      clearTimeout(this.timer);
      clearTimeout(this.levelsTimer);
      clearTimeout(this.levelsEnd);
      this.channel.close();
    });
    this.requestLead();
    setTimeout(() => this.ask('state'), FIRST_QUESTION_MS);
  }

  // ---- between tabs ----
  /** Waits for the lead, or steals it. */
  async requestLead(mustSteal = false) {
    const lead = new AbortController();
    const leadSignal = AbortSignal.any([this.signal, lead.signal]);
    this.waiting?.abort();
    this.waiting = mustSteal ? undefined : new AbortController();
    const options = mustSteal
      ? { steal: true }
      : { signal: AbortSignal.any([this.signal, this.waiting.signal]) };
    try {
      await navigator.locks.request(LOCK, options, () => this.lead(leadSignal));
    } catch { /* another tab has the lock now, or this one is closed */ }
    if (!this.isLeader) return;
    this.isLeader = false;
    lead.abort();
    if (this.signal.aborted || this.isLoggedOut) return;
    this.requestLead();
    this.expectSign();
  }
  receive(message) {
    if (message.asks) {
      if (this.isLeader) this.answer(message.asks);
    } else if (!this.isLeader) {
      this.handle(message);
      this.expectSign();
    }
  }
  answer(question) {
    this.post({ connection: this.connection });
    if (question === 'state') this.renew();
    else if (question === 'retry') this.interrupt();
    else if (question === 'levels') this.carryLevels();
  }
  /** Asks the leading tab, and takes its place if it gives no sign. */
  ask(question) {
    if (this.isLeader || this.signal.aborted) return;
    this.channel.postMessage({ asks: question });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.requestLead(true), SIGN_MS);
  }
  expectSign() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask('sign'), SILENCE_MS);
  }
  post(message) {
    if (this.isLeader) this.channel?.postMessage(message);
  }
  /** Passes a message on to the other tabs and handles it. */
  publish(message) {
    this.post(message);
    this.handle(message);
  }
  handle({ type, value, id, connection }) {
    if (connection) {
      this.connection = connection;
      this.onConnection(connection);
    } else if (type === 'levels') {
      // They have no id: a stream is not resumed after them.
      this.onLevels(value);
    } else if (type) {
      this.lastID = id;
      this.onEvent(type, value, id);
    }
  }

  // ---- levels ----
  /** Shows levels in this tab, or no longer. */
  showLevels(areShown) {
    this.showsLevels = areShown;
    clearTimeout(this.levelsTimer);
    this.askForLevels();
  }
  askForLevels() {
    if (!this.showsLevels || this.signal.aborted) return;
    if (!this.channel || this.isLeader) this.carryLevels();
    else this.channel.postMessage({ asks: 'levels' });
    this.levelsTimer = setTimeout(() => this.askForLevels(), LEVELS_QUESTION_MS);
  }
  /** Carries levels on the stream of events for a while: it is opened again where it was. */
  carryLevels() {
    clearTimeout(this.levelsEnd);
    this.levelsEnd = setTimeout(() => this.setLevels(false), LEVELS_KEPT_MS);
    this.setLevels(true);
  }
  setLevels(hasLevels) {
    if (this.hasLevels === hasLevels) return;
    this.hasLevels = hasLevels;
    this.interrupt(true);
  }

  // ---- in the leading tab ----
  /** Reads one stream after another, until `signal` aborts or the session has ended. */
  async lead(signal) {
    this.isLeader = true;
    clearTimeout(this.timer);
    let failures = 0;
    while (!signal.aborted) {
      const end = await this.read(signal);
      if (signal.aborted) return;
      if (end === 'loggedOut') {
        this.isLoggedOut = true;
        this.publish({ connection: 'loggedOut' });
        return;
      }
      if (end === 'reopen') {
        failures = 0;
        await this.pause(REOPEN_PAUSE_MS, signal);
        continue;
      }
      failures = end === 'wasLive' ? 1 : failures + 1;
      // The place of a stream that was just ended may not be free yet.
      const mayBeFreeSoon = this.connection === 'live' && failures === 1;
      if (end === 'full' && !mayBeFreeSoon) this.publish({ connection: 'full' });
      else if (failures > 1) this.publish({ connection: 'lost' });
      await this.pause(RETRY_PAUSES_MS[Math.min(failures, RETRY_PAUSES_MS.length) - 1], signal);
    }
  }
  pause(time, signal) {
    return new Promise((resolve) => {
      // From 80 to 120 percent of the time, so that not all pages come back at once.
      const timer = setTimeout(resolve, time * (.8 + .4 * Math.random()));
      this.interrupt = () => {
        clearTimeout(timer);
        resolve();
      };
      signal.onabort = this.interrupt;
    });
  }
  /**
   * Reads one stream to its end.
   * @returns `loggedOut`, `full`, `refused`, `wasLive` or `reopen`
   */
  async read(signal) {
    const stop = new AbortController();
    let silence;
    let mustReopen = false;
    let isLive = false;
    const restartSilence = () => {
      clearTimeout(silence);
      silence = setTimeout(() => stop.abort(), SILENCE_MS);
    };
    this.interrupt = (reopens) => {
      if (!reopens) return;
      mustReopen = true;
      stop.abort();
    };
    restartSilence();
    try {
      const ends = AbortSignal.any([signal, stop.signal]);
      const answer = await open(this.hasLevels, ends, this.lastID);
      if (!answer.ok) return refusal(answer.status);
      for await (const events of eventsOf(answer)) {
        restartSilence();
        if (signal.aborted) break;
        if (!isLive) this.publish({ connection: 'live' });
        isLive = true;
        // Without a wait between them, so that the page is drawn once for them.
        for (const event of events) this.publish(event);
      }
    } catch {
      /* the connection broke, or the page gave up */
    } finally {
      clearTimeout(silence);
    }
    if (mustReopen) return 'reopen';
    return isLive ? 'wasLive' : 'refused';
  }
  /** Reads the whole state. */
  renew() {
    this.lastID = undefined;
    this.interrupt(true);
  }
}
function refusal(status) {
  if (status === 401 || status === 403) return 'loggedOut';
  return status === 429 ? 'full' : 'refused';
}

/**
 * Follows the events until `signal` aborts.
 * @param options `onEvent` is called with (type, value, id); `onLevels` with the levels of an
 *   amplifier; `onConnection` with 'live', 'lost', 'full' (too many streams) or 'loggedOut';
 *   `signal`
 * @returns `retry()`, which does not wait for the next try; `renew()`, which opens the stream
 *   again; and `showLevels(areShown)`
 */
export function follow(options) {
  const follower = new Follower(options);
  follower.start();
  return {
    retry: () => follower.isLeader ? follower.interrupt() : follower.ask('retry'),
    renew: () => follower.isLeader ? follower.renew() : follower.ask('state'),
    showLevels: (areShown) => follower.showLevels(areShown),
  };
}
