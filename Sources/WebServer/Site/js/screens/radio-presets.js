// The presets of each person on this device: pairs of band and frequency.
import * as theater from '../model/store.js';
import { preferences, savePreferences } from '../base/preferences.js';
import { SAME_FREQUENCY } from './radio-bands.js';

const MOST_PRESETS = 20;

export const presets = () => preferences().presets?.[theater.person()] ?? [];
const savePresets = (list) =>
  savePreferences({ presets: { ...preferences().presets, [theater.person()]: list } });

/** Whether a preset is at a place of the dial. */
export const isAt = ([band, frequency], place) =>
  band === place.band && Math.abs(frequency - place.frequency) < SAME_FREQUENCY;
export const isPreset = (place) => presets().some((preset) => isAt(preset, place));
/** Adds a place of the dial to the presets, or removes it. The oldest preset makes room. */
export function flipPreset(place) {
  const others = presets().filter((preset) => !isAt(preset, place));
  const added = [...presets(), [place.band, place.frequency]].slice(-MOST_PRESETS);
  savePresets(isPreset(place) ? others : added);
}
