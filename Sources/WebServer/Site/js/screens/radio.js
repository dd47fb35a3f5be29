// The radio: dial, stations, the current programme.
import { announce, clamp, h, s, setChildren, shape } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { post } from '../base/api.js';
import * as theater from '../model/store.js';
import {
  ambient,
  failureCard,
  heading,
  rebuildIfChanged,
  section,
  segments,
  throttle,
  twoLines,
} from '../parts/parts.js';
import { preferences, savePreferences } from '../base/preferences.js';
import { hertz, value } from '../model/words.js';
import { endActivity } from '../parts/commands.js';
import { capitalized, number, t } from '../base/text.js';

export const title = () => t('radio.title');
const BANDS = {
  fm: {
    min: 76,
    max: 108,
    step: .1,
    show: (f) => f.toFixed(1),
    major: 4,
    minor: 1,
    tiny: .2,
    near: .16,
  },
  am: {
    min: 520,
    max: 1710,
    step: 9,
    wide: 10,
    show: (f) => String(Math.round(f)),
    major: 200,
    minor: 50,
    tiny: 10,
    near: 6,
  },
};

const MOST_PRESETS = 20;
/** The presets of each person on this device: pairs of band and frequency. */
const mine = () => preferences().presets?.[theater.person()] ?? [];
const setMine = (all) =>
  savePreferences({ presets: { ...preferences().presets, [theater.person()]: all } });
/** The raster of stations: 9 kHz on AM, in the Americas 10, as the known stations show. */
const rasterOf = (
  { step, wide },
  known,
) => (wide && known.some((f) => f % step) && known.every((f) => f % wide === 0) ? wide : step);

export async function show(main, { again }) {
  const tuner = () => theater.withRole('tuner'),
    isOn = () => theater.activity().status !== 'idle' && theater.playerRole() === 'tuner';
  const stations = [];
  let unread;
  try {
    let total;
    do {
      const page = await theater.loadPage('stations', { offset: stations.length });
      stations.push(...page.items);
      total = page.items.length > 0 ? page.total : stations.length;
    } while (stations.length < total);
  } catch (failure) {
    unread = failure;
  }
  let band = value(tuner(), 'band') ?? 'fm', heldBy, sending;
  const hold = () => {
    clearTimeout(heldBy);
    heldBy = setTimeout(() => {
      heldBy = undefined;
      if (!sending) update();
    }, 2000);
  };
  const freq = { fm: 98.5, am: 810 };
  const readout = h('span', 'freq num'),
    unit = h('span', 'freq-unit'),
    name = h('p', 'title-3 radio-name'),
    live = h('p', 'soft');
  const glass = h('div', 'glass-dial'),
    input = h('input', { type: 'range', class: 'dial-input', 'aria-label': t('state.frequency') }),
    presets = h('ul', 'presets'),
    list = h('ul', 'presets'),
    kept = section(t('radio.presets'), 'h-presets', presets);
  const key = (label, picture, run, kind = '') => {
    const node = h('button', {
      class: `key ${kind}`,
      'aria-label': label,
      onclick: () => run(node),
    }, icon(picture));
    return node;
  };
  const power = key(t('radio.listen'), 'play', () => {
      if (!isOn()) listen();
      else {
        play();
        endActivity();
      }
    }, 'main'),
    state = h('p', 'small receiver-state');
  const bands = segments(
    t('state.band'),
    [['fm', t('is.fm')], ['am', t('is.am')]],
    band,
    (next) => {
      hold();
      band = next;
      build();
      tune(freq[band]);
      if (isOn()) listen();
    },
  );
  const keep = h('button', {
    class: 'btn quiet',
    onclick: () => {
      const all = mine();
      setMine(
        isMine()
          ? all.filter((one) => !isHere(one))
          : [...all, [band, freq[band]]].slice(-MOST_PRESETS),
      );
      paint();
    },
  }, t('radio.keep'));
  main.append(
    heading(title(), bands),
    h(
      'section',
      { class: 'receiver', 'aria-label': t('device.tuner') },
      h('div', 'receiver-top', h('div', {}, name, live), h('p', 'readout', readout, unit)),
      h('div', 'dial-way', glass, input),
      h(
        'div',
        'receiver-keys',
        state,
        h(
          'div',
          'transport',
          key(t('radio.before'), 'previous', () => skip(-1)),
          power,
          key(t('radio.next'), 'next', () => skip(1)),
        ),
        keep,
      ),
    ),
    kept,
    section(t('radio.stations'), 'h-stations', list),
  );

  const said = (f, on = band) => (on === 'fm' ? number(f, 1) : String(Math.round(f)));
  const ofBand = () => stations.filter((station) => station[band] !== undefined);
  // The nearest station in reach of the dial.
  const distance = (station) => Math.abs(station[band] - freq[band]);
  const near = () =>
    ofBand().filter((station) => distance(station) < BANDS[band].near).sort((a, b) =>
      distance(a) - distance(b)
    )[0];
  const isHere = ([on, f]) => on === band && Math.abs(f - freq[band]) < .05,
    isMine = () => mine().some(isHere);
  // The last of several quick presses counts.
  const play = throttle(async (item) => {
    sending = true;
    power.setAttribute('aria-busy', sending);
    try {
      theater.saveRun((await post('/radio', { item })).run);
    } finally {
      hold();
      sending = false;
      power.setAttribute('aria-busy', sending);
    }
  });
  /** Plays what the dial shows: a station, or the bare frequency. */
  const listen = () => {
    hold();
    play(near()?.id ?? `${BANDS[band].show(freq[band])} ${band.toUpperCase()}`);
  };
  function skip(by) {
    const list = ofBand().sort((a, b) => a[band] - b[band]),
      here = freq[band],
      next = by > 0
        ? list.find((one) => one[band] > here + .05) ?? list[0]
        : list.findLast((one) => one[band] < here - .05) ?? list.at(-1);
    if (next) goTo(band, next[band]);
  }
  function goTo(on, f) {
    if (on !== band) {
      band = on;
      bands.set(band);
      build();
    }
    tune(f, true);
    announce([near()?.title, hertz(f)].filter(Boolean).join(', '));
    listen();
  }

  // A tape behind glass: on a phone it runs under a fixed needle, on a wide screen the needle runs along the band.
  let px = 0, tape, needle, width = 0, whole = false, step;
  // The raster counts from 0, for the dial as for the arrow keys.
  const onRaster = (f, round = Math.round) =>
    Number(
      (round(f / step + (round === Math.round ? 0 : round === Math.ceil ? -1e-6 : 1e-6)) * step)
        .toFixed(1),
    );
  function build() {
    const b = BANDS[band];
    step = rasterOf(b, ofBand().map((one) => one[band]));
    Object.assign(input, {
      min: onRaster(b.min, Math.ceil),
      max: onRaster(b.max, Math.floor),
      step,
    });
    drawGlass(b);
    rebuildIfChanged(
      list,
      JSON.stringify([band, stations.map((one) => one.id)]),
      () => (ofBand().length
        ? ofBand().map((one) => entry(band, one[band], one.title, one.artist))
        : unread
        ? h('li', {}, failureCard(t('radio.stations'), unread, again))
        : h('li', 'soft', t('radio.none'))),
    );
  }
  const entry = (on, f, name, artist) =>
    h(
      'li',
      {},
      h(
        'button',
        { class: 'preset', data: { band: on, f }, onclick: () => goTo(on, f) },
        h('span', 'num preset-f', said(f, on)),
        twoLines(name, [t(`is.${on}`), artist].filter(Boolean).join(' · ')),
      ),
    );
  function drawGlass(b) {
    width = glass.clientWidth || 800;
    whole = width > 860;
    const span = b.max - b.min,
      pad = whole ? 46 : width / 2,
      H = 190,
      out = [],
      X = (f) => pad + (f - b.min) * px;
    px = whole ? (width - pad * 2) / span : width / (band === 'fm' ? 9 : 420);
    const multiple = (at, of) => Math.abs(at / of - Math.round(at / of)) < .001;
    for (let f = b.min; f <= b.max + .001; f += b.tiny) {
      const at = Math.round(f / b.tiny) * b.tiny,
        isMajor = multiple(at, b.major),
        isMinor = multiple(at, b.minor);
      if (whole && !isMinor && px * b.tiny < 4) continue;
      out.push(
        s('path', {
          class: 'tick',
          d: `M${X(at).toFixed(1)} 96v${isMajor ? -34 : isMinor ? -22 : -12}`,
          'stroke-width': isMajor ? 2.6 : 1.4,
        }),
      );
      if (isMajor) {
        out.push(s('text', { x: X(at), y: 50, class: 'tick-text' }, b.show(at).replace('.0', '')));
      } else if (!whole && isMinor) {
        out.push(s('text', { x: X(at), y: 62, class: 'tick-small' }, b.show(at).replace('.0', '')));
      }
    }
    ofBand().sort((p, q) => p[band] - q[band]).slice(0, 60).forEach((one, row) => {
      const at = X(one[band]), y = whole ? [126, 150, 174][row % 3] : [134, 158][row % 2];
      out.push(
        shape('station-line', `M${at} 96V${y - 12}`),
        s('circle', { cx: at, cy: 96, r: 4, class: 'station-dot' }),
        s('text', { x: at, y, class: 'station-name' }, one.title),
      );
    });
    tape = s('g', 'tape', shape('baseline', `M${X(b.min)} 96H${X(b.max)}`), out);
    needle = s(
      'g',
      'dial-needle',
      s('rect', { x: -2.5, y: 10, width: 5, height: 102, rx: 2.5 }),
      s('circle', { cx: 0, cy: 10, r: 7 }),
    );
    setChildren(
      glass,
      s('svg', { viewBox: `0 0 ${width} ${H}`, 'aria-hidden': 'true' }, tape, needle),
    );
    glass.classList.toggle('whole', whole);
    place();
  }
  function place() {
    const off = (freq[band] - BANDS[band].min) * px;
    tape.style.transform = whole ? '' : `translateX(${-off}px)`;
    needle.style.transform = `translateX(${whole ? 46 + off : width / 2}px)`;
  }
  function tune(f, jump) {
    freq[band] = jump ? f : clamp(onRaster(f), Number(input.min), Number(input.max));
    input.value = freq[band];
    glass.classList.toggle('jump', !!jump);
    place();
    paint();
  }
  function paint() {
    const b = BANDS[band], station = near(), on = isOn();
    readout.textContent = said(freq[band]);
    unit.textContent = hertz(freq[band]).replace(readout.textContent, '').trim();
    input.setAttribute(
      'aria-valuetext',
      `${hertz(freq[band])}${station ? `, ${station.title}` : ''}`,
    );
    name.textContent = station?.title ?? t('radio.between');
    live.textContent = station
      ? (on && theater.playback(tuner())?.title) || capitalized(t(on ? 'now.playing' : 'is.off'))
      : t('radio.further');
    glass.classList.toggle('locked', !!station && on);
    glass.classList.toggle('dark', !on);
    const does = t(on ? 'radio.turnOff' : 'radio.listen');
    if (power.getAttribute('aria-label') !== does) {
      power.setAttribute('aria-label', does);
      setChildren(power, icon(on ? 'power' : 'play'));
    }
    state.textContent = on ? '' : t('radio.off');
    keep.setAttribute('aria-pressed', isMine());
    kept.hidden = !mine().length;
    rebuildIfChanged(
      presets,
      JSON.stringify(mine()),
      () =>
        mine().map(([on, f]) =>
          entry(on, f, stations.find((one) => one[on] === f)?.title ?? hertz(f))
        ),
    );
    for (const preset of main.querySelectorAll('.preset')) {
      preset.setAttribute('aria-current', isHere([preset.dataset.band, Number(preset.dataset.f)]));
    }
    ambient(station?.title ?? 'Old Valley');
  }
  /** Follows the tuner, unless somebody is tuning here. */
  function update() {
    const owner = tuner();
    if (!owner || heldBy || sending) {
      paint();
      return;
    }
    const next = value(owner, 'band') ?? band, at = value(owner, 'frequency');
    if (next !== band && isOn()) {
      band = next;
      bands.set(band);
      build();
    }
    if (next === band && typeof at === 'number' && at !== freq[band]) tune(at, true);
    else paint();
  }
  input.addEventListener('input', () => {
    hold();
    tune(Number(input.value));
  });
  input.addEventListener('change', () => {
    if (isOn()) listen();
  });
  // A drag moves the tape with the finger; the native range underneath keeps keyboard and screen reader.
  let from;
  glass.addEventListener('pointerdown', (event) => {
    from = [event.clientX, freq[band]];
    glass.setPointerCapture(event.pointerId);
    glass.classList.remove('jump');
    hold();
  });
  glass.addEventListener('pointermove', (event) => {
    if (!from) return;
    hold();
    tune(
      whole
        ? BANDS[band].min + (event.clientX - glass.getBoundingClientRect().left - 46) / px
        : from[1] - (event.clientX - from[0]) / px,
    );
  });
  const release = () => {
    if (!from) return;
    from = null;
    const station = ofBand().find((one) => Math.abs(one[band] - freq[band]) * px < 14);
    if (station) tune(station[band], true);
    if (isOn()) listen();
  };
  glass.addEventListener('pointerup', release);
  glass.addEventListener('pointercancel', release);

  build();
  update();
  const size = new ResizeObserver(() => {
      if (glass.clientWidth !== width) {
        drawGlass(BANDS[band]);
        paint();
      }
    }),
    unwatch = theater.watch(update);
  size.observe(glass);
  return () => {
    clearTimeout(heldBy);
    size.disconnect();
    unwatch();
  };
}
