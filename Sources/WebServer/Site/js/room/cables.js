// The cables from the sources to the amplifier and from it to the speakers, and the signal that is
// seen in them.
import { s, shape } from '../base/dom.js';
import { sideboardFoot } from './layouts.js';
import { setShown } from './svg.js';

const SOURCES = ['dvd', 'cd', 'tuner'];
/** Where the cable of each speaker leaves the amplifier, as a share of its width. */
const SPEAKER_OUTLETS = { towerL: .1, towerR: .9, wallL: .4, wallR: .6, centre: .5 };
/** The edges of a device where cables end, as shares of its width or height. */
const LEFT_EDGE = .015;
const RIGHT_EDGE = .985;
const LOWER_EDGE = .97;

/** The place at a share of the width and of the height of a box [x, y, width, height]. */
const placeIn = ([x, y, width, height], across, down) => [x + width * across, y + height * down];
/** A cable between two places, which hangs down or rises to a height between them. */
const cable = (from, to, height) => `M${from}C${from[0]} ${height} ${to[0]} ${height} ${to}`;

/** The path of the cable from a source to the amplifier. */
function sourcePath(id, source, amplifier) {
  const [x, y] = source;
  const isDVD = id === 'dvd';
  const isBelow = y > amplifier[1] + amplifier[3];
  if (isBelow) {
    const from = placeIn(source, .25, .08);
    const to = placeIn(amplifier, isDVD ? .3 : .9, LOWER_EDGE);
    return cable(from, to, (from[1] + to[1]) / 2);
  }
  const isLeft = x < amplifier[0];
  const from = placeIn(source, isLeft ? RIGHT_EDGE : LEFT_EDGE, .5);
  const to = placeIn(amplifier, isLeft ? LEFT_EDGE : RIGHT_EDGE, isDVD ? .3 : .7);
  const sag = 16;
  return cable(from, to, Math.max(from[1], to[1]) + sag);
}
/** The path of the cable from the amplifier to a speaker: below or above the sideboard. */
function speakerPath(id, speaker, amplifier, layout) {
  const top = layout.sideboard.y;
  const outlet = SPEAKER_OUTLETS[id];
  const isOnStand = id.startsWith('wall') && layout.hasStands;
  const to = placeIn(speaker, .5, isOnStand ? .03 : .96);
  const isBelow = to[1] > top + 14;
  if (isBelow) {
    return cable(placeIn(amplifier, outlet, LOWER_EDGE), to, sideboardFoot(layout) + 24);
  }
  // Behind the sideboard, over its top, and up to the speaker.
  const knee = [to[0], Math.max(to[1], top - 70)];
  return `${cable(placeIn(amplifier, outlet, .05), knee, top - 14)}V${to[1]}`;
}
/** The path of each cable, by the id of its source or speaker. */
function cablePaths(layout, parts) {
  const amplifier = parts.amp.box;
  const paths = {};
  for (const id of SOURCES) paths[id] = sourcePath(id, parts[id].box, amplifier);
  for (const id of Object.keys(SPEAKER_OUTLETS)) {
    if (parts[id]) paths[id] = speakerPath(id, parts[id].box, amplifier, layout);
  }
  return paths;
}

export class Cables {
  constructor(layout, parts) {
    const paths = Object.entries(cablePaths(layout, parts));
    /** The cables themselves, in the dark of the room. */
    this.bodiesByID = Object.fromEntries(paths.map(([id, path]) => [id, shape('cable', path)]));
    this.bodies = Object.values(this.bodiesByID);
    /** The signal of each one. It fades as a whole, so that it is one layer and not three. */
    this.signals = Object.fromEntries(
      paths.map(([id, path]) => [
        id,
        s(
          'g',
          'signal',
          shape('wire-glow', path),
          shape('wire', path),
          shape('wire-flow', path),
        ),
      ]),
    );
  }
  /**
   * Shows the cables that are there: of connected sources, and of the speakers of an amplifier.
   * @param connected the ids of the sources
   */
  show(connected, hasAmplifier) {
    for (const [id, body] of Object.entries(this.bodiesByID)) {
      setShown([body], SOURCES.includes(id) ? connected.includes(id) : hasAmplifier);
    }
  }
  /** Shows the signal in the cables of a sound; see `appearanceOf`. */
  draw({ path, isPaused }) {
    for (const [id, signal] of Object.entries(this.signals)) {
      signal.classList.toggle('wire-on', path.includes(id));
      signal.classList.toggle('quiet', isPaused);
    }
  }
}
