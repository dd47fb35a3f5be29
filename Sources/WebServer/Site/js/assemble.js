/**
 * Assembles a screen in a fixed order: its parts are created, configured, laid out, and only then bound to
 * what people do. So nothing that is not yet shown reacts, and nothing shown is dead.
 * @param screen `create(main)` returns the parts; `configure`, `layOut` and `bind` get them
 * @returns what `bind` returns: how to leave the screen
 */
export function assemble({ create, configure, layOut, bind }, main, app) {
  const parts = create(main);
  configure(parts);
  layOut(parts);
  return bind(parts, app);
}
