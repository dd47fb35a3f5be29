// The order in which a screen is assembled.

/**
 * Assembles a screen in a fixed order: its parts are created, configured and laid out; then their
 * event handlers are attached, so that no part reacts before it is shown.
 * @param screen `create(main)` returns the parts; `configure`, `layOut` and `bind` get them
 * @param main the element that the screen fills
 * @param app the router's functions, which `bind` gets too
 * @returns the result of `bind`: a function that ends the screen
 */
export function assemble({ create, configure, layOut, bind }, main, app) {
  const parts = create(main);
  configure(parts);
  layOut(parts);
  return bind(parts, app);
}
