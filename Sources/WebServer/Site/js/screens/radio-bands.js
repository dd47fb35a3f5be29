// The bands of the tuner: their limits, their raster and their scale.
import { number } from '../base/text.js';

/**
 * FM in MHz, AM in kHz. `tuningTolerance` is how far from the dial a station may be to be tuned in;
 * `major`, `minor` and `tick` are the distances between the marks of the scale; `span` is the part
 * of the scale that a narrow screen shows.
 */
export const BANDS = {
  fm: {
    min: 76,
    max: 108,
    step: .1,
    major: 4,
    minor: 1,
    tick: .2,
    tuningTolerance: .16,
    span: 9,
    format: (frequency) => frequency.toFixed(1),
  },
  am: {
    min: 520,
    max: 1710,
    step: 9,
    stepInAmericas: 10,
    major: 200,
    minor: 50,
    tick: 10,
    tuningTolerance: 6,
    span: 420,
    format: (frequency) => String(Math.round(frequency)),
  },
};
/** Two frequencies that differ by less are the same, in the unit of their band. */
export const SAME_FREQUENCY = .05;
const ROUNDING_ERROR = 1e-6;

/** The raster of stations: 9 kHz on AM, in the Americas 10, as the known stations show. */
export function rasterOf({ step, stepInAmericas }, frequencies) {
  const isAmerican = stepInAmericas && frequencies.some((frequency) => frequency % step) &&
    frequencies.every((frequency) => frequency % stepInAmericas === 0);
  return isAmerican ? stepInAmericas : step;
}
// Raster frequencies are multiples of the step, also for arrow keys.
const multiple = (count, step) => Number((count * step).toFixed(1));
export const nearestOnRaster = (frequency, step) => multiple(Math.round(frequency / step), step);
export const firstOnRaster = ({ min }, step) =>
  multiple(Math.ceil(min / step - ROUNDING_ERROR), step);
export const lastOnRaster = ({ max }, step) =>
  multiple(Math.floor(max / step + ROUNDING_ERROR), step);

/** A frequency in the reader's language, without its unit. */
export const frequencyText = (band, frequency) =>
  band === 'fm' ? number(frequency, 1) : String(Math.round(frequency));
