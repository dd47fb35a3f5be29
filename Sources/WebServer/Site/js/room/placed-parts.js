// The parts of the room that room.svg draws: devices, speakers, lamps, the sofa and the cat.
// Each one is placed twice: its body below the darkness of the room, what shines above it.
import { $, $$, loadOnce, s, shape } from '../base/dom.js';
import { fillHeaps } from './popcorn.js';
import { setShown } from './svg.js';

/** The parts in the order of drawing; the projector's beam lies between the two lists. */
const BEHIND_BEAM = [
  'sconceL',
  'sconceR',
  'towerL',
  'towerR',
  'dvd',
  'cd',
  'amp',
  'tuner',
  'centre',
];
const BEFORE_BEAM = ['projector', 'lamp', 'wallL', 'wallR', 'popper', 'sofa', 'cat'];
/** The parts that are drawn only with a device; all others belong to every room. */
const PARTS_OF_DEVICE = {
  amp: ['amp', 'towerL', 'towerR', 'centre', 'wallL', 'wallR'],
  dvd: ['dvd'],
  cd: ['cd'],
  tuner: ['tuner'],
  projector: ['projector'],
  lights: ['lamp', 'sconceL', 'sconceR'],
  popper: ['popper'],
};
/** The part of each device that can be pressed; the projection screen is not in room.svg. */
const PART_OF_DEVICE = {
  amp: 'amp',
  dvd: 'dvd',
  cd: 'cd',
  tuner: 'tuner',
  projector: 'projector',
  lights: 'lamp',
  popper: 'popper',
};

/** Loads room.svg. XMLHttpRequest gives a parsed document, which CSP with trusted types allows. */
export const loadDrawings = loadOnce(() =>
  new Promise((done, fail) => {
    const failed = () => fail(new Error('room.svg could not be read'));
    const request = new XMLHttpRequest();
    request.open('GET', new URL('../../room.svg', import.meta.url));
    request.responseType = 'document';
    request.overrideMimeType('image/svg+xml');
    request.onload = () => request.responseXML ? done(request.responseXML) : failed();
    request.onerror = failed;
    request.send();
  })
);

/** A part at its place. Its moving elements have a key, the attribute `data-k` in room.svg. */
class PlacedPart {
  /** @param place [x, y, scale] */
  constructor(source, place) {
    const [x, y, scale] = place;
    const copy = (selector) =>
      s(
        'g',
        { transform: `translate(${x} ${y}) scale(${scale})` },
        document.importNode($(selector, source), true),
      );
    this.place = place;
    this.body = copy('.body');
    this.lit = copy('.lit');
    /** Its bounds as [x, y, width, height]. */
    this.box = [x, y, source.dataset.w * scale, source.dataset.h * scale];
  }
  /** The elements with a key. */
  all(key) {
    const selector = `[data-k="${key}"]`;
    return [...$$(selector, this.body), ...$$(selector, this.lit)];
  }
  one(key) {
    return this.all(key)[0];
  }
}

/** The parts of a layout by their id. A layout may lack some of the speakers and lamps. */
export class PlacedParts {
  constructor(layout, drawings) {
    this.byId = {};
    for (const id of [...BEHIND_BEAM, ...BEFORE_BEAM]) {
      if (!layout.parts[id]) continue;
      // The left and the right one have the same drawing.
      const kind = id.replace(/[LR]$/, '');
      const part = new PlacedPart(drawings.getElementById(`p-${kind}`), layout.parts[id]);
      if (kind === 'wall' && layout.hasStands) {
        part.body.prepend(shape('pole', 'M33 108h8v260h-8z'));
      }
      this.byId[id] = part;
    }
    fillHeaps(this.byId.popper);
  }
  get bodies() {
    return Object.values(this.byId).map((part) => part.body);
  }
  get litBehindBeam() {
    return this.#lit(BEHIND_BEAM);
  }
  get litBeforeBeam() {
    return this.#lit(BEFORE_BEAM);
  }
  #lit(ids) {
    return ids.flatMap((id) => this.byId[id]?.lit ?? []);
  }
  /** Shows the parts of the devices that are there, and hides those of others. */
  show(present) {
    for (const [device, ids] of Object.entries(PARTS_OF_DEVICE)) {
      for (const part of ids.map((id) => this.byId[id]).filter(Boolean)) {
        setShown([part.body, part.lit], present.includes(device));
      }
    }
  }
  /** The bounds of what can be pressed for a device; `undefined` for an unknown one. */
  boxOfDevice(id) {
    return this.byId[PART_OF_DEVICE[id]]?.box;
  }
}
