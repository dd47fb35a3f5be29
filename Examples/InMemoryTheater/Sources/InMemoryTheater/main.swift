import Devices
import HomeTheater
import InMemoryDevices

let films = [CatalogueItem(id: "night-ferry", title: "Night Ferry", duration: 5400)]
let songs = [CatalogueItem(id: "overture", title: "Overture", duration: 240)]
let facade = HomeTheaterFacade(
  amp: InMemoryAmplifier("amp"), tuner: InMemoryTuner("tuner"),
  dvd: InMemoryDVDPlayer("dvd", films: films), cd: InMemoryCDPlayer("cd", songs: songs),
  projector: InMemoryProjector("projector"), lights: InMemoryLights("lights"),
  screen: InMemoryScreen("screen"), popper: InMemoryPopcornPopper("popper"))

// Every operation is done on behalf of a user, here of one with every permission.
let theater = facade.session(for: .owner("ann"))
let film = try await theater.watch(movie: "Night Ferry")
for node in film.nodes { if let step = node.command { print(node.id, step.device, step.command) } }
try await theater.amp.setVolume(40)
try await theater.endMovie()

try await theater.listenToCD(song: "Overture")
try await theater.popcorn()
try await theater.endCD()

try await theater.listenToRadio(station: "98.5 FM")
print("tuned to", await theater.tuner.snapshot().state[.frequency] ?? .null, "MHz")
try await theater.endRadio()

do {
  try await theater.watch(movie: "Night Fery")
} catch {
  print(error.message + ".", error.hint ?? "")
}
