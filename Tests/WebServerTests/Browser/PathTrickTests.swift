import NIOHTTP1
import TestSupport
import Testing

@testable import WebServer

/// Ways to write a protected path so that one reader sees something else than another. They go over
/// the wire as they are: a client's library would tidy them up.
enum PathTricks {
  static let all: [String] = [
    // Dots
    "/api/./status", "/api/../api/status", "/./api/status", "/../api/status", "/api/status/.",
    "/api/status/..", "/api/status/../status", "/api/health/../status",
    "/api/health/../../api/status",
    "/api/sessions/../status", "/api/.../status", "/api/health/./../status",
    // Encoded dots
    "/api/%2e/status", "/api/%2e%2e/api/status", "/api/health/%2e%2e/status",
    "/api/.%2e/api/status",
    "/api/%2E%2E/api/status", "/api/health/%252e%252e/status", "/api/health/..%2fstatus",
    // Slashes
    "//api/status", "/api//status", "/api/status/", "/api/status//", "///api///status",
    "/api%2fstatus", "/api%2Fstatus", "/api/health%2f..%2fstatus", "/%2fapi/status",
    "/api/devices/x%2f..%2f..%2fstatus", "/api/devices/%2e%2e/status",
    // Backslashes
    "/api\\status", "\\api\\status", "/api/health\\..\\status", "/api/%5cstatus",
    "/api/health/..%5cstatus", "/api/devices/a%5c..%5cb",
    // NUL, control, line ends
    "/api/status%00", "/api/status%00.css", "/api/%00/status", "/api/health%00/../status",
    "/api/status\u{0}", "/api/devices/a%0d%0aX-Theater:%201", "/api/status%0a", "/api/status%7f",
    "/api/status\t", "/api/status%09",
    // UTF-8 that is too long, cut short, or none
    "/api/%c0%ae%c0%ae/status", "/api%c0%afstatus", "/api/%e0%80%af/status", "/api/%f0%80%80%af",
    "/api/health/%c0%ae%c0%ae%c0%afstatus", "/api/%ff/status", "/api/devices/%c3",
    // Full-width and other look-alikes
    "/api/．．/status", "/api／status", "/api/%ef%bc%8e%ef%bc%8e/status",
    // Parameters, files, cases, needless encoding
    "/api/status;x=1", "/api;x/status", "/api/health;/../status", "/api/status;.css",
    "/api/status.json", "/api/status.css", "/API/status", "/api/Status", "/%61pi/status",
    "/api/statu%73", "/api/devices/%6cights",
    // Broken encoding
    "/api/status%", "/api/status%2", "/api/status%zz", "/api/%u002e/status", "/api/status%25",
    // Other forms of a target
    "http://127.0.0.1/api/status", "https://evil.example/api/status", "api/status",
    "/api/status#x", "*", "127.0.0.1:80", "?/api/status", "/?/api/status", "/api?/status",
    "@/api/status",
  ]
}

@Suite struct PathTrickTests {
  private static let door = Listener.port(0, of: "127.0.0.1")

  @Test("F5 · 80 tricks with paths get nobody past the gate")
  func strangers() async throws {
    #expect(Set(PathTricks.all).count >= 80)
    try await LivingRoom.open(Self.door) { room in
      for path in PathTricks.all {
        let answer = try await room.raw(lines: [
          "GET \(path) HTTP/1.1", "Host: 127.0.0.1:\(room.port)",
        ])
        #expect(answer.status == 401 || answer.status == 400, "\(path): \(answer.text)")
        #expect(!answer.text.contains("devices"), "\(path)")
      }
    }
  }

  @Test(
    "F5 · nor does a path have a second form for those who may: what is not canonical is not there")
  func owners() async throws {
    try await LivingRoom.open(Self.door) { room in
      let token = try await room.owner().token ?? ""
      for path in PathTricks.all {
        let answer = try await room.raw(lines: [
          "GET \(path) HTTP/1.1", "Host: 127.0.0.1:\(room.port)", "Authorization: Bearer \(token)",
        ])
        #expect(answer.status == 404 || answer.status == 400, "\(path): \(answer.text)")
      }
    }
  }

  @Test("F5 · with a session of a lower role the same tricks open no route of a higher one")
  func members() async throws {
    try await LivingRoom.open(Self.door) { room in
      let member = try await room.member(invitedBy: room.owner())
      for path in PathTricks.all {
        let trick = path.replacing("/api/status", with: "/api/invitations")
          .replacing("status", with: "invitations")
        let answer = try await room.raw(lines: [
          "POST \(trick) HTTP/1.1", "Host: 127.0.0.1:\(room.port)",
          "Authorization: Bearer \(member.token ?? "")",
        ])
        #expect(answer.status.map { (400..<500).contains($0) } == true, "\(trick): \(answer.text)")
        #expect(!answer.text.contains("\"code\":\"forbidden\""), "\(trick) reached the route")
      }
    }
  }

  @Test(
    "F5 · what needs encoding may be encoded, in the one way that there is",
    arguments: [
      "/", "/a", "/api/devices/a%20b", "/a/%C3%A4", "/a:b@c,d+e=f&g", "/a%2Cb", "/~a-b.c_d",
    ])
  func canonical(path: String) { #expect(CanonicalPath.holds(path)) }
}
