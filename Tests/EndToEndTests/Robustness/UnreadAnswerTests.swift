import APIClient
import Foundation
import JSON
import NIOHTTP1
import TestSupport
import Testing

/// The memory of a controller whose clients do not read.
@Suite(.timeLimit(.minutes(5))) struct UnreadAnswerTests {
  @Test("60 clients that read nothing of 20,000 songs cost the controller less than 48 MiB")
  func songs() async throws {
    let title = String(repeating: "la ", count: 20)
    let songs = (0..<20_000).map { number -> JSON in
      ["id": .string("s\(number)"), "title": .string("\(title)\(number)")]
    }
    let theater = try SmallTheater(more: ["library": ["songs": .array(songs)]])
    #expect(try await theater.start(), "\(theater.text("log"))")
    let owner = try await theater.registerOwner()
    let token = owner.token ?? ""
    let outcome = try await Program.tool([
      "python3", "-c", Self.program, theater.path("run/theater/theater.sock"), "\(theater.pid)",
      "GET /api/v1/songs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\r\n",
    ])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let growth = try #require(Double(outcome.output.filter { $0 != "\n" }))
    #expect(growth < 48, "\(growth) MiB")
    // Other clients are served meanwhile.
    #expect(try await owner.send(.GET, "/api/v1/status").status == 200)
    await theater.close()
  }

  @Test("E9 · the terminal lists every song, although the API answers page by page")
  func terminal() async throws {
    let songs = (0..<2500).map { number -> JSON in
      ["id": .string("s\(number)"), "title": .string("Song \(number)")]
    }
    let theater = try SmallTheater(more: ["library": ["songs": .array(songs)]])
    #expect(try await theater.start(), "\(theater.text("log"))")
    let owner = try await theater.registerOwner()
    let file = theater.path("state/theater/token")
    #expect(
      FileManager.default.createFile(
        atPath: file, contents: Data((owner.token ?? "").utf8),
        attributes: [.posixPermissions: 0o600]))
    let listed = try await theater.theater("songs", "--json")
    let answer = try JSON(parsing: listed.output)
    #expect(answer["total"] == 2500, "\(listed.errors)")
    #expect(answer["songs"]?.array?.map { $0["id"] } == songs.map { $0["id"] })
    await theater.close()
  }

  // Prints by how many MiB a process has grown once each of 60 clients has an answer before it, and the process
  // is idle.
  private static let program = """
    import array, fcntl, select, socket, sys, termios, time
    path, pid, request = sys.argv[1:4]
    def resident():
        lines = open(f"/proc/{pid}/status").read().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024
    def used():
        fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])
    def unread(client):
        count = array.array("i", [0])
        fcntl.ioctl(client, termios.FIONREAD, count)
        return count[0]
    before, peak = resident(), 0
    clients = []
    for _ in range(60):
        client = socket.socket(socket.AF_UNIX)
        client.connect(path)
        client.sendall(request.encode())
        clients.append(client)
    end, idle, last = time.monotonic() + 60, 0, -1
    while time.monotonic() < end and idle < 10:
        peak = max(peak, resident())
        now = used()
        idle = idle + 1 if now == last and all(unread(client) > 0 for client in clients) else 0
        last = now
        time.sleep(0.05)
    print(peak - before)
    """
}
