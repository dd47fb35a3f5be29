// What this device remembers: how the page looks, and what its people chose. It stays after a logout.
const NAME = 'theater-look';
export const look = () => JSON.parse(localStorage.getItem(NAME) ?? '{}');
export const keepLook = (change) => localStorage.setItem(NAME, JSON.stringify({ ...look(), ...change }));
