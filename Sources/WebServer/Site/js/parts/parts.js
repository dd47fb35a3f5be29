// All parts of screens in one module, for modules that do not yet name the one that they need.
export * from './actions.js';
export * from './cards.js';
export * from './chips.js';
export * from './choices.js';
export * from './dialogs.js';
export * from './failures.js';
export * from './item-cover.js';
export * from './rebuild.js';
export * from './sliders.js';
export * from './throttle.js';
export * from './toasts.js';
