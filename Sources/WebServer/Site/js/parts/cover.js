// A cover for anything without one. The same title always gives the same picture, in every place
// and size: its hash chooses one of fourteen palettes and one of six scenes. No raster, no text, no
// request.
import { MOTIFS } from './cover-scenes.js';
import { CoverCanvas } from './cover-canvas.js';

/** Each one from dark to light: deep, mid, main, hot, pale. */
const PALETTES = [
  ['#0d1a2c', '#1d3b58', '#437392', '#f2a65a', '#f7e6ca'],
  ['#1f0c14', '#4c1525', '#932d37', '#ec7a3f', '#f9dcb4'],
  ['#0e1f19', '#224538', '#51805f', '#e8b955', '#f5edd3'],
  ['#191027', '#3b2454', '#7f4d88', '#f38f8c', '#fce3d3'],
  ['#13172d', '#35365f', '#8d5c87', '#f6a76f', '#fde9c9'],
  ['#23110b', '#5e2b1b', '#ad522e', '#f3bb54', '#f9edd7'],
  ['#0d1d26', '#1e4655', '#6097a5', '#ecd9a2', '#fbf7e8'],
  ['#15151d', '#2d2f41', '#5d637e', '#e8614d', '#f3ece1'],
  ['#1a190e', '#45421f', '#8f8336', '#ecc85d', '#faf3d7'],
  ['#290e1a', '#6d1f3f', '#c44d66', '#f8b892', '#feeee2'],
  ['#06201e', '#0e4844', '#2f8a7e', '#f5cc6c', '#f7f3e0'],
  ['#1e130f', '#4c2e22', '#905d3e', '#de9f5f', '#f6e5cd'],
  ['#101827', '#273a6b', '#5f78b8', '#ffc27a', '#fdf0dc'],
  ['#1c0f1e', '#54204d', '#a03c6f', '#ff9a6b', '#ffe6cf'],
];
/** Words of a title, in three languages, that choose its motif. */
const HINTS = [
  [/moon|місяц|лун/i, 'moons'],
  [/ferry|sea|harbour|harbor|tide|river|ship|island|мор[еяі]|порт|річк|рек[аи]|остр/i, 'tide'],
  [/city|street|town|house|місто|город|вулиц|улиц|дім|дом/i, 'city'],
  [/hill|mountain|valley|field|winter|snow|гор|пол|зим/i, 'hills'],
  [/star|comet|orbit|planet|signal|зір|звезд/i, 'orbit'],
];
const FILM_MOTIFS = ['tide', 'moons', 'hills', 'city', 'orbit'];
/** The size of each kind and the motifs among which the hash chooses. */
const KINDS = {
  poster: { width: 200, height: 300, motifs: FILM_MOTIFS },
  // A film has one motif, upright or wide.
  still: { width: 320, height: 180, motifs: FILM_MOTIFS },
  square: { width: 240, height: 240, motifs: ['grooves', 'orbit', 'hills', 'grooves', 'moons'] },
};

/** A number of 32 bits from a text: FNV-1a, with the bits mixed as MurmurHash does. */
export function hash(text) {
  let number = 2166136261;
  for (const character of text.normalize('NFKC').toLowerCase()) {
    number = Math.imul(number ^ character.codePointAt(0), 16777619);
  }
  number ^= number >>> 15;
  number = Math.imul(number, 2246822507);
  number ^= number >>> 13;
  return number >>> 0;
}
/** Returns a function of numbers from 0 to 1, the same ones for the same seed (mulberry32). */
function seededRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
/** The five colors of a title: deep, mid, main, hot, pale. */
export const palette = (title) => PALETTES[hash('palette ' + title) % PALETTES.length];

/** The motif of a title. For music only the motifs of its kind are chosen by words. */
function motifOf(title, kind) {
  const { motifs } = KINDS[kind];
  const hint = HINTS.find(([words]) => words.test(title))?.[1];
  const isUsable = kind !== 'square' || motifs.includes(hint);
  return hint && isUsable ? hint : motifs[hash(title) % motifs.length];
}

/**
 * The cover of a title, an <svg>.
 * @param options `kind`: poster, square or still; `moment`, 0 to 1, moves a still through its film
 */
export function cover(title, { kind = 'poster', moment = 0 } = {}) {
  const { width, height } = KINDS[kind];
  const canvas = new CoverCanvas(width, height, palette(title));
  return canvas.toSVG(MOTIFS[motifOf(title, kind)](canvas, seededRandom(hash(title)), moment));
}
