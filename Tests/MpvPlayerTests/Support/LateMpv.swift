import Foundation
import TestSupport

/// A program in place of mpv, whose films begin at once. After it was started again, it answers the requests for the
/// position of its first film only when it loads the next one, or when it is told to play two channels. At SIGUSR1, its
/// film ends. The film "broken.mkv" fails: the log with the reason comes after the event, before the next reply.
struct LateMpv {
  private let folder: TemporaryFolder

  private static let script = """
    #!/usr/bin/env python3
    import json
    import os
    import signal
    import socket

    requests = open(os.path.join(os.path.dirname(__file__), "requests"), "a", buffering=1)
    is_late = requests.tell() > 0
    peer = socket.socket(fileno=0)
    films = 0
    waiting = []
    log = []
    appended = []


    def send(**message):
        peer.sendall(json.dumps(message).encode() + b"\\n")


    def end_film(*_):
        global films
        send(event="end-file", reason="eof", playlist_entry_id=films)
        if appended:
            appended.clear()
            films += 1
            send(event="file-loaded")
            send(event="playback-restart")


    signal.signal(signal.SIGUSR1, end_film)
    for line in peer.makefile("rb"):
        request = json.loads(line)
        command, number = request["command"], request["request_id"]
        requests.write(f"{command[-1]}\\n")
        while log:
            send(event="log-message", prefix="cplayer", level="fatal", text=log.pop())
        if command[0] == "quit":
            break
        if command[-1] == "stereo":
            is_late = False
            while waiting:
                send(request_id=waiting.pop(), error="success", data=1)
        if command[-1] == "time-pos" and is_late and films < 2:
            waiting.append(number)
        elif command[0] == "get_property":
            send(request_id=number, error="property unavailable")
        elif command[0] == "loadfile" and command[1].endswith("/broken.mkv"):
            films += 1
            send(request_id=number, error="success", data={"playlist_entry_id": films})
            log.append("Error opening/initializing the selected video_out (--vo) device.\\n")
            send(event="end-file", reason="error", file_error="something happened", playlist_entry_id=films)
        elif command[0] == "loadfile" and "append" in command:
            appended.append(command[1])
            send(request_id=number, error="success", data={"playlist_entry_id": films + 1})
        elif command[0] == "loadfile":
            appended.clear()
            films += 1
            while films > 1 and waiting:
                send(request_id=waiting.pop(), error="success", data=1)
            send(request_id=number, error="success", data={"playlist_entry_id": films})
            send(event="file-loaded")
            send(event="playback-restart")
        else:
            send(request_id=number, error="success")

    """

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("mpv", Array(Self.script.utf8))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
  }

  /// The path of the program.
  var program: String { folder.path(of: "mpv") }

  /// The number of requests for the position that it has received, also before it was started again.
  var positionRequests: Int { requests.count { $0 == "time-pos" } }

  /// Whether the last request that set its pause turned it on.
  var isPaused: Bool { requests.last { ["True", "False"].contains($0) } == "True" }

  /// The last word of each request.
  private var requests: [Substring] {
    let words = try? String(contentsOfFile: folder.path(of: "requests"), encoding: .utf8)
    return (words ?? "").split(separator: "\n")
  }
}
