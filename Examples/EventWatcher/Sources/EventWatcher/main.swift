import Foundation
import JSON
import TheaterAPI

guard CommandLine.arguments.count == 3, let base = URL(string: CommandLine.arguments[1]) else {
  print("usage: EventWatcher http://127.0.0.1:8080 EMAIL   (reads the password from its input)")
  exit(2)
}
let controller = Controller(base: base)
let session = try await controller.post(
  SessionEndpoint.logIn.path(),
  ["email": .string(CommandLine.arguments[2]), "password": .string(readLine() ?? "")])
guard let token = session["token"]?.string else {
  print("the controller refused the login: \(session)")
  exit(1)
}

for try await event in controller.events(PlaybackEndpoint.events.path(), token: token) {
  print(event.description)
  // A program that reads the output through a pipe gets each event at once.
  fflush(nil)
}
print("the controller ended the stream")
