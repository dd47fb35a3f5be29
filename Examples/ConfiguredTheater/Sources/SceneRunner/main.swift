import Devices
import HomeTheater
import Scenes
import TheaterLoader

// SceneRunner FILE PLUGINS [SCENE [NAME=VALUE …]]
let words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 2 else { fatalError("usage: SceneRunner FILE PLUGINS [SCENE [NAME=VALUE …]]") }
var values: [String: String] = [:]
for word in words.dropFirst(3) {
  guard let sign = word.firstIndex(of: "=") else { fatalError("expected NAME=VALUE: \(word)") }
  values[String(word[..<sign])] = String(word[word.index(after: sign)...])
}

let theater = try ConfiguredTheater(file: words[0], pluginFolders: [words[1]])
for warning in theater.warnings { print(warning) }

// The plugins run until the closure returns.
try await theater.run { facade in
  let session = facade.session(for: .owner("ann"))
  guard words.count > 2 else {
    for scene in try await session.scenes() { print(scene.name, scene.title ?? "") }
    return
  }
  print("plan:")
  for command in try await session.plan(words[2], with: values).commands {
    print(" ", command.device, command.command)
  }
  let run = try await session.start(words[2], with: values)
  for await change in run.changes {
    guard let node = change.node else { continue }
    print(node.id, node.command.map { "\($0.device) \($0.command)" } ?? "-", node.status)
  }
  print(words[2], run.report.status)
  for room in try await session.rooms() {
    print(room.room.id, room.report.status, room.report.itemTitle ?? "")
  }
}
