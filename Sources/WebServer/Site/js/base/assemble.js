// The order in which a screen is assembled.

/**
 * Assembles a screen in a fixed order: its parts are created, configured, laid out, and only then
 * bound to what people do. So no part reacts before it is shown, and each shown part reacts.
 * @param screen `create(main)` returns the parts; `configure`, `layOut` and `bind` get them
 * @returns the result of `bind`: a function that ends the screen
 */
export function assemble({ create, configure, layOut, bind }, main, app) {
  const parts = create(main);
  configure(parts);
  layOut(parts);
  return bind(parts, app);
}
