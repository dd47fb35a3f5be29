"""The growth of the page's memory: the events of an evening, and the slope of the sizes."""

# Publishes `count` rounds of events to the tabs that follow this one. Every 60 rounds a film begins
# and ends; each round reports a run, the film's position, the lights, the volume and the levels.
PUBLISH_EVENING = """async (count) => {
  const ROUNDS_OF_A_FILM = 60;
  const status = await (await fetch('/api/v1/status')).json();
  const channel = new BroadcastChannel('theater');
  const publish = (type, value) => channel.postMessage({ type, value, id: status.event });
  const reported = (value) => ({ value, provenance: 'reported', age: 0 });
  const withRole = (role) => status.devices.find((device) => device.role === role);
  const publishState = (device, state, more) =>
    publish('device', { ...device, state: { ...device.state, ...state }, ...more });
  const dvd = withRole('dvdPlayer');
  const lights = withRole('lights');
  const amplifier = withRole('amplifier');
  const step = { id: 's', kind: 'command', device: lights.id, command: 'on', status: 'done' };
  for (let i = 0; i < count; i += 1) {
    const title = `Film ${Math.floor(i / ROUNDS_OF_A_FILM) % 8}`;
    if (i % ROUNDS_OF_A_FILM === 0) {
      publish('activity', {
        status: 'running',
        activity: 'film',
        title: 'Watch a film',
        item: title,
        itemTitle: title,
        player: dvd.id,
        run: `run-${i}`,
      });
    }
    if (i % ROUNDS_OF_A_FILM === ROUNDS_OF_A_FILM - 1) publish('activity', { status: 'idle' });
    publish('run', { id: `run-${i}`, scene: 'watch-film', status: 'done', step });
    publishState(dvd, {
      power: reported('on'),
      playback: reported({
        state: i % 7 ? 'playing' : 'paused',
        item: title,
        position: (i * 25) % 3600,
        rate: 1,
        duration: 3600,
      }),
    });
    publishState(lights, { brightness: reported((i * 7) % 100) });
    publishState(
      amplifier,
      { power: reported('on'), volume: reported(i % 100) },
      { attributes: { ...amplifier.attributes, rms: { value: [-20 - (i % 30), -22] } } },
    );
    if (i % 20 === 0) await new Promise((done) => setTimeout(done));
  }
  channel.close();
}"""


def slope(sizes):
    """Returns the growth from one size to the next, by least squares."""
    middle = (len(sizes) - 1) / 2
    mean = sum(sizes) / len(sizes)
    covariance = sum((index - middle) * (size - mean) for index, size in enumerate(sizes))
    return covariance / sum((index - middle) ** 2 for index in range(len(sizes)))
