// The displays, knobs, needles and indicator lamps of the devices. Each function draws a part of
// room.svg as `appearanceOf` says that it looks.
import { clamp, s, setText } from '../base/dom.js';
import { setOpacity } from './svg.js';

/** The turn of the volume knob and of the ring around it, in degrees. */
const VOLUME_TURN = 270;
/** The turn of the tuner's knob, and the way of its needle in units of its drawing. */
const TUNER_TURN = 260;
const DIAL_WIDTH = 172;
/** How full the popper's case is when a heap is seen. */
const LOW_HEAP = .12;
const HIGH_HEAP = .66;

const setLit = (part, isOn) => setOpacity(part.all('on'), isOn ? 1 : 0);

export function drawAmplifier(part, { isOn, isMuted, volume, text }) {
  const turn = VOLUME_TURN * volume / 100;
  setLit(part, isOn);
  part.one('knob').style.transform = `rotate(${-VOLUME_TURN / 2 + turn}deg)`;
  part.one('ring').style.strokeDasharray = `${isOn && !isMuted ? turn : 0} 360`;
  setText(part.one('text'), text);
}
export function drawDiscPlayer(part, { isOn, isTrayOpen, isPlaying, text }) {
  setLit(part, isOn);
  setText(part.one('text'), text);
  for (const tray of part.all('tray')) tray.classList.toggle('open', isTrayOpen);
  for (const disc of part.all('disc')) disc.classList.toggle('spin', isPlaying);
}
export function drawTuner(part, { isOn, place, text }) {
  const needle = (clamp(place, 0, 1) - .5) * DIAL_WIDTH;
  setLit(part, isOn);
  part.one('needle').style.transform = `translateX(${needle}px)`;
  part.one('knob').style.transform = `rotate(${-TUNER_TURN / 2 + TUNER_TURN * place}deg)`;
  setText(part.one('text'), text);
}
export function drawProjector(part, { lens, vents, heat }) {
  setOpacity(part.all('lens'), lens);
  setOpacity(part.all('vents'), vents);
  part.one('ring').style.strokeDasharray = `${360 * heat} 360`;
}
export function drawPopper(part, { isOn, fill }) {
  setLit(part, isOn);
  setOpacity(part.all('heap-low'), fill > LOW_HEAP ? 1 : 0);
  setOpacity(part.all('heap-high'), fill > HIGH_HEAP ? 1 : 0);
}
/** @param indicators the state of each device's indicator lamp, which is its class */
export function drawIndicators(parts, indicators) {
  for (const [id, state] of Object.entries(indicators)) {
    for (const lamp of parts[id].all('led')) lamp.setAttribute('class', state);
  }
}
/** Frames around the devices that failed, whose bounds are [x, y, width, height]. */
export const failureFrames = (boxes) =>
  boxes.flatMap(([x, y, width, height]) =>
    ['ill-fill', 'ill'].map((name) =>
      s('rect', {
        class: name,
        x: x - 10,
        y: y - 8,
        width: width + 20,
        height: height + 16,
        rx: 16,
      })
    )
  );
