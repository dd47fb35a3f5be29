// The dial of the radio: a tape behind glass. On a phone it runs under a fixed needle, on a wide
// screen the needle runs along the band. A range below it keeps keyboard and screen readers.
import { clamp, h, s, setChildren, shape } from '../base/dom.js';
import { firstOnRaster, lastOnRaster, nearestOnRaster } from './radio-bands.js';
import { t } from '../base/text.js';

// Lengths of the drawing, in pixels.
const HEIGHT = 190;
const BASELINE = 96;
/** A dial that is wider shows the whole band. */
const WHOLE_BAND_WIDTH = 860;
const WHOLE_MARGIN = 46;
/** The width of a dial that is not laid out yet. */
const UNKNOWN_WIDTH = 800;
/** Ticks that are closer are left out. */
const LEAST_TICK_DISTANCE = 4;
const TICK_LENGTHS = { major: 34, minor: 22, tick: 12 };
const LABEL_HEIGHTS = { major: 50, minor: 62 };
/** The rows of station names, used alternately. */
const NAME_ROWS = [134, 158];
const NAME_ROWS_WHOLE = [126, 150, 174];
const MOST_NAMES = 60;
/** A released dial snaps to a station in this distance. */
const SNAP_DISTANCE = 14;

export class Dial {
  /**
   * @param ontouch called while a person tunes
   * @param ontune called with a new frequency, and whether it is exactly that of a station
   * @param onrelease called when the person has let go
   */
  constructor({ ontouch, ontune, onrelease }) {
    Object.assign(this, { ontouch, ontune, onrelease, frequency: 0, width: 0 });
    this.glass = h('div', 'glass-dial');
    this.input = h('input', {
      type: 'range',
      class: 'dial-input',
      'aria-label': t('state.frequency'),
      oninput: () => this.tuneByRange(),
      onchange: () => this.onrelease(),
    });
    this.node = h('div', 'dial-way', this.glass, this.input);
    this.glass.addEventListener('pointerdown', (event) => this.beginDrag(event));
    this.glass.addEventListener('pointermove', (event) => this.drag(event));
    this.glass.addEventListener('pointerup', () => this.endDrag());
    this.glass.addEventListener('pointercancel', () => this.endDrag());
    this.size = new ResizeObserver(() => {
      if (this.glass.clientWidth !== this.width) this.draw();
    });
    this.size.observe(this.glass);
  }
  end() {
    this.size.disconnect();
  }

  /** @param stations those of the band, with `frequency` and `title` */
  setBand(band, stations, step, frequency) {
    Object.assign(this, { band, stations, step, frequency });
    this.lowest = firstOnRaster(band, step);
    this.highest = lastOnRaster(band, step);
    Object.assign(this.input, { min: this.lowest, max: this.highest, step });
    this.draw();
  }
  /** The frequency of the raster that is next to another one. */
  onRaster(frequency) {
    return clamp(nearestOnRaster(frequency, this.step), this.lowest, this.highest);
  }
  /** @param isAnimated whether the dial moves there with an animation */
  show(frequency, isAnimated) {
    this.frequency = frequency;
    this.input.value = frequency;
    this.glass.classList.toggle('jump', isAnimated);
    this.place();
  }
  paint({ isOn, isTuned, text }) {
    this.input.setAttribute('aria-valuetext', text);
    this.glass.classList.toggle('locked', isTuned && isOn);
    this.glass.classList.toggle('dark', !isOn);
  }

  // ---- tuning ----
  tuneByRange() {
    this.ontouch();
    this.ontune(Number(this.input.value), false);
  }
  beginDrag({ clientX, pointerId }) {
    this.dragStart = { x: clientX, frequency: this.frequency };
    this.glass.setPointerCapture(pointerId);
    this.glass.classList.remove('jump');
    this.ontouch();
  }
  drag({ clientX }) {
    if (!this.dragStart) return;
    this.ontouch();
    this.ontune(this.isWhole ? this.frequencyAt(clientX) : this.draggedTo(clientX), false);
  }
  /** The frequency below a pointer. */
  frequencyAt(clientX) {
    const x = clientX - this.glass.getBoundingClientRect().left - this.margin;
    return this.band.min + x / this.scale;
  }
  /** The frequency to which a finger has moved the tape. */
  draggedTo(clientX) {
    return this.dragStart.frequency - (clientX - this.dragStart.x) / this.scale;
  }
  endDrag() {
    if (!this.dragStart) return;
    this.dragStart = undefined;
    const isNear = ({ frequency }) =>
      Math.abs(frequency - this.frequency) * this.scale < SNAP_DISTANCE;
    const station = this.stations.find(isNear);
    if (station) this.ontune(station.frequency, true);
    this.onrelease();
  }

  // ---- drawing ----
  draw() {
    const { band } = this;
    this.width = this.glass.clientWidth || UNKNOWN_WIDTH;
    this.isWhole = this.width > WHOLE_BAND_WIDTH;
    this.margin = this.isWhole ? WHOLE_MARGIN : this.width / 2;
    /** Pixels for each MHz or kHz. */
    this.scale = this.isWhole
      ? (this.width - this.margin * 2) / (band.max - band.min)
      : this.width / band.span;
    const baseline = `M${this.x(band.min)} ${BASELINE}H${this.x(band.max)}`;
    this.tape = s('g', 'tape', shape('baseline', baseline), this.drawMarks(), this.drawNames());
    this.needle = needle();
    const drawing = { viewBox: `0 0 ${this.width} ${HEIGHT}`, 'aria-hidden': 'true' };
    setChildren(this.glass, s('svg', drawing, this.tape, this.needle));
    this.glass.classList.toggle('whole', this.isWhole);
    this.place();
  }
  /** Moves the tape or the needle to the current frequency. */
  place() {
    const offset = (this.frequency - this.band.min) * this.scale;
    this.tape.style.transform = this.isWhole ? '' : `translateX(${-offset}px)`;
    const needleX = this.isWhole ? this.margin + offset : this.width / 2;
    this.needle.style.transform = `translateX(${needleX}px)`;
  }
  x(frequency) {
    return this.margin + (frequency - this.band.min) * this.scale;
  }
  drawMarks() {
    const { min, max, tick } = this.band;
    const first = Math.round(min / tick);
    const count = Math.round((max - min) / tick) + 1;
    return Array.from({ length: count }, (_, i) => this.drawMark((first + i) * tick));
  }
  drawMark(frequency) {
    const kind = this.kindOfMark(frequency);
    const isTooClose = this.isWhole && this.scale * this.band.tick < LEAST_TICK_DISTANCE;
    if (kind === 'tick' && isTooClose) return null;
    const line = s('path', {
      class: 'tick',
      d: `M${this.x(frequency).toFixed(1)} ${BASELINE}v${-TICK_LENGTHS[kind]}`,
      'stroke-width': kind === 'major' ? 2.6 : 1.4,
    });
    const hasLabel = kind === 'major' || (kind === 'minor' && !this.isWhole);
    return [line, hasLabel ? this.drawLabel(frequency, kind) : null];
  }
  kindOfMark(frequency) {
    if (isMultiple(frequency, this.band.major)) return 'major';
    return isMultiple(frequency, this.band.minor) ? 'minor' : 'tick';
  }
  drawLabel(frequency, kind) {
    const text = this.band.format(frequency).replace('.0', '');
    const style = kind === 'major' ? 'tick-text' : 'tick-small';
    return s('text', { x: this.x(frequency), y: LABEL_HEIGHTS[kind], class: style }, text);
  }
  drawNames() {
    const rows = this.isWhole ? NAME_ROWS_WHOLE : NAME_ROWS;
    return [...this.stations]
      .sort((a, b) => a.frequency - b.frequency)
      .slice(0, MOST_NAMES)
      .map((station, i) => this.drawName(station, rows[i % rows.length]));
  }
  drawName({ frequency, title }, y) {
    const x = this.x(frequency);
    const lineEnd = y - 12;
    return [
      shape('station-line', `M${x} ${BASELINE}V${lineEnd}`),
      s('circle', { cx: x, cy: BASELINE, r: 4, class: 'station-dot' }),
      s('text', { x, y, class: 'station-name' }, title),
    ];
  }
}
const isMultiple = (frequency, distance) => {
  const count = frequency / distance;
  return Math.abs(count - Math.round(count)) < .001;
};
const needle = () =>
  s(
    'g',
    'dial-needle',
    s('rect', { x: -2.5, y: 10, width: 5, height: 102, rx: 2.5 }),
    s('circle', { cx: 0, cy: 10, r: 7 }),
  );
