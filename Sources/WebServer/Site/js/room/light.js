// The light of the room: darkness over all of it, and what lightens it: the lamps, the sky of the
// hour, the screen's own light and that of the popper.
import { $$, clamp, lerp, s } from '../base/dom.js';
import { WHITE_LIGHT } from './appearance.js';
import { sideboardFoot } from './layouts.js';
import { between, mixColors, points, setAttributes, setOpacity } from './svg.js';

const LAMPS = ['lamp', 'sconceL', 'sconceR'];
/** The parts with a rim that shines in the light of the screen. */
const WITH_RIM = ['sofa', 'cat'];
/** How opaque the stops of `rm-bounce` are, from the middle outwards, in hexadecimal. */
const BOUNCE_OPACITIES = ['d9', '5c', '1a', '00'];
const RIM_OF_WHITE_LIGHT = '#dfe9f6';
/** Reports within this time after the last one belong to one movement of the light. */
const MOVEMENT_MS = 400;

/** What the light looks like: opacities from 0 to 1, and colors. See `appearanceOf`. */
export function lightOf({ isDay, lamps, luminance, film, popper }) {
  const { brightness } = lamps;
  const inDark = 1 - brightness;
  const brightestRays = isDay ? .7 : .95;
  const light = clamp(lerp(ambientLight(isDay, luminance), 1, brightness), 0, 1);
  const ofPopper = (opacity) => (popper.isOn ? opacity : 0);
  const { main, hot, pale } = film.colors;
  const tint = film.isShown ? hot : WHITE_LIGHT;
  const inner = mixColors(tint, '#ffffff', .25);
  const outer = film.isShown ? main : tint;
  const nightSky = clamp(.9 - brightness * 1.4 - luminance * .5 - ofPopper(.2), 0, 1);
  return {
    dark: clamp((1 - light) * (isDay ? .86 : .97) - luminance * .05, 0, 1),
    warm: brightness * (isDay ? .1 : .2),
    sky: isDay ? .5 : nightSky,
    cove: brightness * .9,
    screen: luminance * (isDay ? .34 : .5),
    screenColors: [inner, inner, outer, outer],
    popper: ofPopper(isDay ? .25 : .55) * (1 - brightness * .6),
    nightCat: luminance > .2 || popper.isOn ? inDark * .94 : 0,
    rim: Math.max(luminance * .85, ofPopper(.12)) * (1 - brightness * .55),
    rimColor: film.isShown ? mixColors(hot, pale, .4) : RIM_OF_WHITE_LIGHT,
    lamp: lamps.isOn ? clamp(.42 + brightness * .6, 0, 1) : 0,
    lampRays: lamps.isOn ? clamp(brightness * brightestRays, .12, 1) : 0,
  };
}
/** The light without lamps. The eye adapts to a bright screen, so that the day seems darker. */
function ambientLight(isDay, luminance) {
  if (!isDay) return .15;
  return luminance > .3 ? .34 : .55;
}
/** What the light depends on: it is drawn again when one of these values changes. */
export const lightCauses = ({ isDay, lamps, luminance, popper, film }) => [
  isDay,
  lamps.brightness,
  luminance,
  popper.isOn,
  film.isShown,
  film.title,
];

/**
 * Ends the fades while reports follow each other closely. Such reports make a movement of their
 * own; fading each as well would compose the whole room at every frame.
 */
export class FadePace {
  #surface;
  #lastReport = -Infinity;
  constructor(surface) {
    this.#surface = surface;
  }
  /** To be called before each change of the light. */
  adapt(isScreenMoving) {
    const time = performance.now();
    const isQuick = isScreenMoving || time - this.#lastReport < MOVEMENT_MS;
    this.#surface.classList.toggle('quick', isQuick);
    this.#lastReport = time;
  }
}

/** The elements of the light. */
export class Light {
  /** @param picture the place of the picture on the lowered screen */
  constructor(layout, picture, parts) {
    const { width, height, back } = layout;
    this.parts = parts;
    this.dark = s('rect', { class: 'rm-dark' });
    this.warm = s('ellipse', {
      class: 'rm-warm',
      cx: width / 2,
      cy: height * .36,
      rx: width * .75,
      ry: height * .7,
      fill: 'url(#rm-warm)',
    });
    this.screen = screenLight(layout, picture);
    this.popper = popperLight(parts.popper);
    this.sky = skyLight(layout);
    this.cove = s('rect', {
      class: 'cove',
      x: back.left,
      y: back.top,
      width: back.right - back.left,
      height: 74,
      fill: 'url(#g-cove)',
    });
    this.nodes = [this.dark, this.warm, this.screen, this.popper, this.sky, this.cove];
  }
  /**
   * Covers the part of the drawing that is seen. It is no larger than the view: while its opacity
   * changes it is a layer of its own.
   */
  cover({ x, y, width, height }) {
    setAttributes(this.dark, { x, y, width, height });
  }
  /** @param look see `lightOf` */
  draw(look) {
    setOpacity([this.dark], look.dark);
    setOpacity([this.warm], look.warm);
    setOpacity([this.sky], look.sky);
    setOpacity([this.cove], look.cove);
    setOpacity([this.screen], look.screen);
    setOpacity([this.popper], look.popper);
    // An invisible layer is not composed.
    this.screen.style.visibility = look.screen ? '' : 'hidden';
    this.popper.style.visibility = look.popper ? '' : 'hidden';
    const stops = $$('#rm-bounce stop', this.dark.ownerSVGElement);
    stops.forEach((stop, i) => {
      stop.style.stopColor = look.screenColors[i] + BOUNCE_OPACITIES[i];
    });
    this.#drawParts(look);
  }
  #drawParts(look) {
    setOpacity(this.parts.cat.all('night'), look.nightCat);
    for (const id of WITH_RIM) {
      const rim = this.parts[id].one('rim');
      setOpacity([rim], look.rim);
      rim.style.stroke = look.rimColor;
    }
    for (const id of LAMPS) {
      const lamp = this.parts[id];
      if (!lamp) continue;
      setOpacity(lamp.all('on'), look.lamp);
      setOpacity(lamp.all('rays'), look.lampRays);
    }
  }
}
/** The light that the screen throws back on the wall and on the floor. */
function screenLight({ screen, sideboard, height }, picture) {
  const onFloor = lerp(sideboard.y + sideboard.height, height, .36);
  const ellipse = (attributes) =>
    s('ellipse', { cx: screen.centerX, ...attributes, fill: 'url(#rm-bounce)' });
  return s(
    'g',
    'rm-bounce',
    ellipse({
      cy: picture.y + picture.height * .6,
      rx: picture.width * 1.25,
      ry: picture.height * 1.7,
      class: 'tint',
    }),
    ellipse({ cy: onFloor, rx: picture.width * .8, ry: 96, class: 'tint floor' }),
  );
}
function popperLight({ box: [x, y, width, height] }) {
  const center = { cx: x + width / 2, cy: y + height * .42 };
  return s(
    'g',
    'rm-bounce',
    s('ellipse', { ...center, rx: 420, ry: 380, fill: 'url(#rm-pop)' }),
  );
}
/** The light of the sky: a glow on the left, and the panes of the window on the floor. */
function skyLight(layout) {
  const glow = s('ellipse', {
    cx: layout.hasWindow ? 120 : 0,
    cy: layout.height * .34,
    rx: layout.width * .62,
    ry: layout.height * .52,
    fill: 'url(#rm-moonlight)',
    class: 'moonlit',
  });
  return s('g', 'rm-sky', glow, windowPanes(windowOnFloor(layout)));
}
/** The corners of the light that falls through the window. */
function windowOnFloor(layout) {
  if (layout.hasWindow) return [[336, 772], [436, 754], [512, 832], [394, 856]];
  const foot = sideboardFoot(layout);
  const { width } = layout;
  return [
    [width * .3, foot + 90],
    [width * .5, foot + 70],
    [width * .6, foot + 190],
    [width * .36, foot + 224],
  ];
}
/** The four panes of that light, between its corners from the far left clockwise. */
function windowPanes([farLeft, farRight, nearRight, nearLeft]) {
  const place = (across, down) =>
    between(between(farLeft, farRight, across), between(nearLeft, nearRight, across), down);
  const pane = (left, right, top, bottom) =>
    s('polygon', {
      class: 'rm-pane',
      points: points(
        place(left, top),
        place(right, top),
        place(right, bottom),
        place(left, bottom),
      ),
    });
  return [
    pane(0, .47, 0, .46),
    pane(.53, 1, 0, .46),
    pane(0, .47, .54, 1),
    pane(.53, 1, .54, 1),
  ];
}
