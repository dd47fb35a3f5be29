// The radio: dial, stations, presets, the current programme.
import { h, setChildren } from '../base/dom.js';
import { announce } from '../base/messages.js';
import { icon } from '../base/icons.js';
import { path, post } from '../base/api.js';
import { activityFor, itemsFor, offeredActivities } from '../model/activities.js';
import { withRole } from '../model/room-devices.js';
import * as theater from '../model/store.js';
import { chosenActivity } from '../parts/activity-start.js';
import { heading, section, twoLines } from '../parts/cards.js';
import { segments } from '../parts/choices.js';
import { failureCard } from '../parts/failures.js';
import { ambient } from '../parts/item-cover.js';
import { rebuildIfChanged } from '../parts/rebuild.js';
import { throttle } from '../parts/throttle.js';
import { activityTitle, frequencyWithUnit, value } from '../model/words.js';
import { endActivity } from '../parts/commands.js';
import { BANDS, frequencyText, rasterOf, SAME_FREQUENCY } from './radio-bands.js';
import { Dial } from './radio-dial.js';
import { flipPreset, isAt, isPreset, presets } from './radio-presets.js';
import { capitalized, t } from '../base/text.js';

/** The activity for which a station is chosen, else the radio. */
export function title() {
  const chosen = chosenRadio();
  return chosen ? activityTitle(chosen) : t('radio.title');
}
const chosenRadio = () => chosenActivity('stations');
/** Where the dial stands before the tuner has reported its frequency. */
const FIRST_FREQUENCIES = { fm: 98.5, am: 810 };
/** Milliseconds after the last touch for which the dial does not follow the tuner. */
const HOLD_TIME = 2000;
/** The title whose colors the page has between two stations. */
const COLOR_WITHOUT_STATION = 'Old Valley';

export async function show(main, { again }) {
  const { stations, failure } = await loadStations();
  const screen = new RadioScreen(stations, failure, again);
  main.append(
    heading(title(), screen.bandChoice),
    screen.receiver(),
    screen.presetSection,
    section(t('radio.stations'), 'h-stations', screen.stationList),
  );
  screen.showBand(screen.band);
  screen.update();
  const stopFollowing = theater.watch(() => screen.update());
  return () => {
    stopFollowing();
    screen.end();
  };
}
/**
 * Reads the stations, of the chosen activity if there is one. Those that were read before a failure
 * are shown, too.
 */
async function loadStations() {
  const read = [];
  let failure;
  try {
    await theater.loadWhole('stations', '', read);
  } catch (caught) {
    failure = caught;
  }
  const chosen = chosenRadio();
  return { stations: chosen ? itemsFor(chosen, read) : read, failure };
}
/**
 * The activity that plays stations: the chosen one, the current one, one of the shown room, or
 * another.
 */
function radioActivity() {
  const offered = offeredActivities('stations');
  const current = offered.find(({ name }) => name === theater.activity().activity);
  return chosenRadio() ?? current ?? offered[0];
}
/** The room of the radio, which may be another than the shown one. */
function radioRoom() {
  const name = radioActivity()?.room;
  return theater.rooms().find((one) => one.name === name) ?? theater.room();
}
/** The path that begins an activity; without one, the one that says why there is none. */
const addressOf = (activity) =>
  activity ? theater.inRoom(path`/activities/${activity.name}`, activity.room) : '/radio';
/** The tuner that plays, else that of the activity, else that of the room. */
const tuner = () => currentTuner() ?? theater.device(radioActivity()?.player) ?? withRole('tuner');
function currentTuner() {
  const { status, player } = radioRoom()?.activity ?? { status: 'idle' };
  const device = status === 'idle' ? undefined : theater.device(player);
  const wanted = chosenRadio()?.player ?? player;
  return device?.role === 'tuner' && player === wanted ? device : undefined;
}
const isTunerOn = () => Boolean(currentTuner());

class RadioScreen {
  constructor(stations, failure, again) {
    Object.assign(this, { stations, failure, again });
    this.band = value(tuner(), 'band') ?? 'fm';
    this.frequencies = { ...FIRST_FREQUENCIES };
    this.isSending = false;
    this.dial = new Dial({
      ontouch: () => this.hold(),
      ontune: (frequency, isExact) => this.tune(frequency, isExact),
      onrelease: () => {
        if (isTunerOn()) this.listen();
      },
    });
    this.frequencyText = h('span', 'freq num');
    this.unitText = h('span', 'freq-unit');
    this.stationName = h('p', 'title-3 radio-name');
    this.programme = h('p', 'soft');
    this.offNotice = h('p', 'small receiver-state');
    this.powerButton = keyButton('key main', t('radio.listen'), 'play', () => this.flipPower());
    this.keepButton = h(
      'button',
      { class: 'btn quiet', onclick: () => this.flipPreset() },
      t('radio.keep'),
    );
    this.presetList = h('ul', 'presets');
    this.presetSection = section(t('radio.presets'), 'h-presets', this.presetList);
    this.stationList = h('ul', 'presets');
    this.bandChoice = segments(
      t('state.band'),
      [['fm', t('is.fm')], ['am', t('is.am')]],
      this.band,
      (band) => this.chooseBand(band),
    );
    // The last of several quick presses counts.
    this.play = throttle((item) => this.sendPlay(item));
  }
  receiver() {
    const names = h('div', {}, this.stationName, this.programme);
    const readout = h('p', 'readout', this.frequencyText, this.unitText);
    const transport = h(
      'div',
      'transport',
      keyButton('key', t('radio.before'), 'previous', () => this.skip(-1)),
      this.powerButton,
      keyButton('key', t('radio.next'), 'next', () => this.skip(1)),
    );
    return h(
      'section',
      { class: 'receiver', 'aria-label': t('device.tuner') },
      h('div', 'receiver-top', names, readout),
      this.dial.node,
      h('div', 'receiver-keys', this.offNotice, transport, this.keepButton),
    );
  }
  end() {
    clearTimeout(this.holdTimer);
    this.dial.end();
  }

  // ---- the place of the dial ----
  get frequency() {
    return this.frequencies[this.band];
  }
  get place() {
    return { band: this.band, frequency: this.frequency };
  }
  get stationsOfBand() {
    return this.stations.filter((station) => station[this.band] !== undefined);
  }
  /** The nearest station within the tuning tolerance of the dial. */
  get station() {
    const distance = (station) => Math.abs(station[this.band] - this.frequency);
    return this.stationsOfBand
      .filter((station) => distance(station) < BANDS[this.band].tuningTolerance)
      .sort((a, b) => distance(a) - distance(b))[0];
  }
  showBand(band) {
    this.band = band;
    const stations = this.stationsOfBand.map((station) => ({
      title: station.title,
      frequency: station[band],
    }));
    const step = rasterOf(BANDS[band], stations.map(({ frequency }) => frequency));
    this.dial.setBand(BANDS[band], stations, step, this.frequency);
    const key = JSON.stringify([band, this.stations.map(({ id }) => id)]);
    rebuildIfChanged(this.stationList, key, () => this.stationRows());
  }
  /** Shows another band in its choice, too. */
  turnToBand(band) {
    this.bandChoice.set(band);
    this.showBand(band);
  }
  /** @param isExact whether the frequency is a station's, which may be off the raster */
  tune(frequency, isExact = false) {
    this.frequencies[this.band] = isExact ? frequency : this.dial.onRaster(frequency);
    this.dial.show(this.frequency, isExact);
    this.paint();
  }

  // ---- what people do ----
  /** Keeps the dial from following the tuner for a while. */
  hold() {
    clearTimeout(this.holdTimer);
    this.holdTimer = setTimeout(() => this.releaseHold(), HOLD_TIME);
  }
  releaseHold() {
    this.holdTimer = undefined;
    if (!this.isSending) this.update();
  }
  chooseBand(band) {
    this.hold();
    this.showBand(band);
    this.tune(this.frequency);
    if (isTunerOn()) this.listen();
  }
  flipPower() {
    if (!isTunerOn()) {
      this.listen();
      return;
    }
    // A station that waits to be sent would turn the tuner on again.
    this.play();
    endActivity(undefined, radioRoom()?.name);
  }
  flipPreset() {
    flipPreset(this.place);
    this.paint();
  }
  skip(direction) {
    const { band, frequency } = this;
    const stations = this.stationsOfBand.sort((a, b) => a[band] - b[band]);
    const next = direction > 0
      ? stations.find((station) => station[band] > frequency + SAME_FREQUENCY) ?? stations[0]
      : stations.findLast((station) => station[band] < frequency - SAME_FREQUENCY) ??
        stations.at(-1);
    if (next) this.goTo(band, next[band]);
  }
  goTo(band, frequency) {
    if (band !== this.band) this.turnToBand(band);
    this.tune(frequency, true);
    announce([this.station?.title, frequencyWithUnit(frequency)].filter(Boolean).join(', '));
    this.listen();
  }
  /** Plays what the dial shows: a station, or the bare frequency. */
  listen() {
    const frequency = BANDS[this.band].format(this.frequency);
    this.hold();
    this.play(this.station?.id ?? `${frequency} ${this.band.toUpperCase()}`);
  }
  async sendPlay(item) {
    this.setSending(true);
    try {
      const station = this.stations.find(({ id }) => id === item);
      const activity = (station && activityFor(station)) ?? radioActivity();
      const { run } = await post(addressOf(activity), { item });
      theater.saveRun(run);
      theater.showRoom(activity?.room);
    } finally {
      this.hold();
      this.setSending(false);
    }
  }
  setSending(isSending) {
    this.isSending = isSending;
    this.powerButton.setAttribute('aria-busy', isSending);
  }

  // ---- what is shown ----
  /** Follows the tuner, unless somebody is tuning here. */
  update() {
    const device = tuner();
    if (!device || this.holdTimer || this.isSending) {
      this.paint();
      return;
    }
    const band = value(device, 'band') ?? this.band;
    const frequency = value(device, 'frequency');
    if (band !== this.band && isTunerOn()) this.turnToBand(band);
    const isElsewhere = band === this.band && typeof frequency === 'number' &&
      frequency !== this.frequency;
    if (isElsewhere) this.tune(frequency, true);
    else this.paint();
  }
  paint() {
    const { station } = this;
    const isOn = isTunerOn();
    this.paintReadout(station, isOn);
    this.paintKeys(isOn);
    this.paintPresets();
    ambient(station?.title ?? COLOR_WITHOUT_STATION);
  }
  paintReadout(station, isOn) {
    const withUnit = frequencyWithUnit(this.frequency);
    const text = frequencyText(this.band, this.frequency);
    this.frequencyText.textContent = text;
    this.unitText.textContent = withUnit.replace(text, '').trim();
    this.stationName.textContent = station?.title ?? t('radio.between');
    this.programme.textContent = station ? programmeText(isOn) : t('radio.further');
    this.dial.paint({
      isOn,
      isTuned: !!station,
      text: station ? `${withUnit}, ${station.title}` : withUnit,
    });
  }
  paintKeys(isOn) {
    const label = t(isOn ? 'radio.turnOff' : 'radio.listen');
    if (this.powerButton.getAttribute('aria-label') !== label) {
      this.powerButton.setAttribute('aria-label', label);
      setChildren(this.powerButton, icon(isOn ? 'power' : 'play'));
    }
    this.offNotice.textContent = isOn ? '' : t('radio.off');
    this.keepButton.setAttribute('aria-pressed', isPreset(this.place));
  }
  paintPresets() {
    const all = presets();
    this.presetSection.hidden = !all.length;
    rebuildIfChanged(
      this.presetList,
      JSON.stringify(all),
      () => all.map((one) => this.presetRow(one)),
    );
    for (const list of [this.presetList, this.stationList]) {
      for (const button of list.querySelectorAll('.preset')) {
        const { band, f: frequency } = button.dataset;
        button.setAttribute('aria-current', isAt([band, Number(frequency)], this.place));
      }
    }
  }
  presetRow([band, frequency]) {
    const station = this.stations.find((one) => one[band] === frequency);
    return this.placeRow(band, frequency, station?.title ?? frequencyWithUnit(frequency));
  }
  stationRows() {
    const { band, stationsOfBand: stations } = this;
    if (stations.length) {
      return stations.map(({ title, artist, [band]: frequency }) =>
        this.placeRow(band, frequency, title, artist)
      );
    }
    return this.failure
      ? h('li', {}, failureCard(t('radio.stations'), this.failure, this.again))
      : h('li', 'soft', t('radio.none'));
  }
  placeRow(band, frequency, name, artist) {
    const button = h(
      'button',
      { class: 'preset', data: { band, f: frequency }, onclick: () => this.goTo(band, frequency) },
      h('span', 'num preset-f', frequencyText(band, frequency)),
      twoLines(name, [t(`is.${band}`), artist].filter(Boolean).join(' · ')),
    );
    return h('li', {}, button);
  }
}
const keyButton = (kind, label, iconName, run) =>
  h('button', { class: kind, 'aria-label': label, onclick: run }, icon(iconName));
/** What the tuned station plays, as far as it says so. */
function programmeText(isOn) {
  const programme = isOn && theater.playback(tuner())?.title;
  return programme || capitalized(t(isOn ? 'now.playing' : 'is.off'));
}
