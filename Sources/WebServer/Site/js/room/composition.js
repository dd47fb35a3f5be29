// One composition of the room: all that is drawn in one of the layouts. Each part is drawn again
// only when its appearance is another than the last time.
import { s } from '../base/dom.js';
import { Cables } from './cables.js';
import {
  drawAmplifier,
  drawDiscPlayer,
  drawIndicators,
  drawPopper,
  drawProjector,
  drawTuner,
  failureFrames,
} from './device-displays.js';
import { roomGradients } from './gradients.js';
import { LAYOUTS, pictureArea } from './layouts.js';
import { Light, lightCauses, lightOf } from './light.js';
import { PlacedParts } from './placed-parts.js';
import { lensOf, ProjectedPicture } from './projected-picture.js';
import { fabricHeight, ProjectionScreen } from './projection-screen.js';
import { sideboardNode } from './sideboard.js';
import { Speakers } from './speakers.js';
import { setAttribute, setShown } from './svg.js';
import { slatPattern, wallNodes } from './walls.js';

export class Composition {
  #placed;
  #fadePace;
  /** What each part showed the last time. */
  #drawn = {};

  /**
   * @param name of a layout
   * @param drawings the document of room.svg
   * @param fadePace see `FadePace`
   */
  constructor(name, drawings, fadePace) {
    this.name = name;
    this.layout = LAYOUTS[name];
    /** The place of the picture on the lowered screen. */
    this.area = pictureArea(this.layout);
    this.#fadePace = fadePace;
    this.#placed = new PlacedParts(this.layout, drawings);
    this.parts = this.#placed.byId;
    this.lens = lensOf(this.parts.projector);
    this.screen = new ProjectionScreen(this.layout, this.area);
    this.picture = new ProjectedPicture(this.area, this.lens);
    this.cables = new Cables(this.layout, this.parts);
    this.light = new Light(this.layout, this.area, this.parts);
    this.speakers = new Speakers(this.parts);
    this.failures = s('g', {});
    this.svg = this.#assemble();
  }
  /** Puts all nodes together, from the walls to what shines above the darkness of the room. */
  #assemble() {
    const layer = (name, ...nodes) => s('g', { class: name }, nodes);
    const { picture, cables, light } = this;
    return s(
      'svg',
      { 'aria-hidden': 'true', class: 'room-svg' },
      s('defs', {}, roomGradients(), slatPattern(this.layout), picture.definitions),
      layer('l-walls', wallNodes(this.layout)),
      layer(
        'l-body',
        this.screen.node,
        sideboardNode(this.layout.sideboard),
        this.#placed.bodies,
        cables.bodies,
      ),
      layer('l-light', light.nodes),
      layer(
        'l-lit',
        s('g', {}, picture.picture, picture.pauseMark),
        s('g', {}, Object.values(cables.signals)),
        this.#placed.litBehindBeam,
        s('g', {}, picture.beam),
        this.#placed.litBeforeBeam,
        this.failures,
      ),
    );
  }
  /** The bounds of what is pressed for a device as [x, y, width, height], if it is known. */
  boxOf = (id) => (id === 'screen' ? this.screen.box : this.#placed.boxOfDevice(id));

  /** @param view see `viewOf` */
  setView(view) {
    setAttribute(this.svg, 'viewBox', `${view.x} ${view.y} ${view.width} ${view.height}`);
    this.light.cover(view);
  }
  /**
   * @param look see `appearanceOf`
   * @param addressOf gives the address of an item's picture, if it has one
   */
  draw(look, addressOf) {
    const { present, connected } = look;
    this.#drawIfChanged('present', [...present, '-', ...connected], () => {
      this.#placed.show(present);
      this.cables.show(connected, present.includes('amp'));
      setShown([this.screen.node], present.includes('screen'));
    });
    this.#drawScreen(look, addressOf);
    this.#drawIfChanged('light', lightCauses(look), () => {
      this.#fadePace.adapt(look.screen.isMoving);
      this.light.draw(lightOf(look));
    });
    this.#drawDevices(look);
    this.#drawIfChanged('sound', Object.values(look.sound), () => {
      this.cables.draw(look.sound);
      this.speakers.draw(look.sound);
    });
    const failed = look.failed.map((device) => device.id);
    this.#drawIfChanged('failures', failed, () => {
      this.failures.replaceChildren(...failureFrames(failed.map(this.boxOf).filter(Boolean)));
    });
  }
  #drawScreen({ screen, projector, frame }, addressOf) {
    const height = fabricHeight(screen.lowered, this.area);
    this.#drawIfChanged('screen', [height], () => {
      this.screen.draw(height);
      this.picture.uncover(height);
    });
    this.#drawIfChanged('projector', Object.values(projector), () => {
      drawProjector(this.parts.projector, projector);
      this.picture.drawLight(projector);
    });
    this.#drawIfChanged('frame', [frame.key], () => {
      const address = frame.kind === 'film' ? addressOf?.(frame.item) : undefined;
      this.picture.drawFrame(frame, address);
    });
  }
  #drawDevices({ amplifier, players, tuner, popper, indicators }) {
    const { amp, dvd, cd, tuner: radio, popper: machine } = this.parts;
    const draw = (id, look, run) => this.#drawIfChanged(id, Object.values(look), run);
    draw('amp', amplifier, () => drawAmplifier(amp, amplifier));
    draw('dvd', players.dvd, () => drawDiscPlayer(dvd, players.dvd));
    draw('cd', players.cd, () => drawDiscPlayer(cd, players.cd));
    draw('tuner', tuner, () => drawTuner(radio, tuner));
    draw('popper', popper, () => drawPopper(machine, popper));
    draw('indicators', indicators, () => drawIndicators(this.parts, indicators));
  }
  /** Draws a part of the picture when what it shows differs from the last time. */
  #drawIfChanged(part, values, draw) {
    const key = values.join();
    if (this.#drawn[part] === key) return;
    this.#drawn[part] = key;
    draw();
  }
}
