// Settings of this device: appearance and choices of its users. They stay after a logout.
const NAME = 'theater-look';
export const look = () => JSON.parse(localStorage.getItem(NAME) ?? '{}');
export const keepLook = (change) => localStorage.setItem(NAME, JSON.stringify({ ...look(), ...change }));
