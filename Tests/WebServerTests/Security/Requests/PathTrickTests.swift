import APIClient
import NIOHTTP1
import TestSupport
import Testing

@testable import WebServer

/// Ways to write a protected path so that one reader sees something else than another. They go over
/// the wire as they are: a client's library would tidy them up.
enum PathTricks {
  /// Whether the HTTP parser refuses this target, before anything looks at the path.
  static func isMalformed(_ target: String) -> Bool {
    !target.hasPrefix("/") || target.utf8.contains { !(0x21...0x7E).contains($0) }
  }

  static let all: [String] = [
    // Dots
    "/api/v1/./status", "/api/v1/../v1/status", "/./api/v1/status", "/../api/v1/status",
    "/api/v1/status/.",
    "/api/v1/status/..", "/api/v1/status/../status", "/api/v1/health/../status",
    "/api/v1/health/../../v1/status",
    "/api/v1/sessions/../status", "/api/v1/.../status", "/api/v1/health/./../status",
    // Encoded dots
    "/api/v1/%2e/status", "/api/v1/%2e%2e/v1/status", "/api/v1/health/%2e%2e/status",
    "/api/v1/.%2e/v1/status",
    "/api/v1/%2E%2E/v1/status", "/api/v1/health/%252e%252e/status", "/api/v1/health/..%2fstatus",
    // Slashes
    "//api/v1/status", "/api/v1//status", "/api/v1/status/", "/api/v1/status//",
    "///api/v1///status",
    "/api%2fv1%2fstatus", "/api%2Fv1%2Fstatus", "/api/v1/health%2f..%2fstatus", "/%2fapi/v1/status",
    "/api/v1/devices/x%2f..%2f..%2fstatus", "/api/v1/devices/%2e%2e/status",
    // Backslashes
    "/api\\v1\\status", "\\api\\v1\\status", "/api/v1/health\\..\\status", "/api/v1/%5cstatus",
    "/api/v1/health/..%5cstatus", "/api/v1/devices/a%5c..%5cb",
    // NUL, control, line ends
    "/api/v1/status%00", "/api/v1/status%00.css", "/api/v1/%00/status",
    "/api/v1/health%00/../status",
    "/api/v1/status\u{0}", "/api/v1/devices/a%0d%0aX-Theater:%201", "/api/v1/status%0a",
    "/api/v1/status%7f",
    "/api/v1/status\t", "/api/v1/status%09",
    // UTF-8 that is too long, cut short, or none
    "/api/v1/%c0%ae%c0%ae/status", "/api/v1%c0%afstatus", "/api/v1/%e0%80%af/status",
    "/api/v1/%f0%80%80%af",
    "/api/v1/health/%c0%ae%c0%ae%c0%afstatus", "/api/v1/%ff/status", "/api/v1/devices/%c3",
    // Full-width and other look-alikes
    "/api/v1/．．/status", "/api/v1／status", "/api/v1/%ef%bc%8e%ef%bc%8e/status",
    // Parameters, files, cases, needless encoding
    "/api/v1/status;x=1", "/api/v1;x/status", "/api/v1/health;/../status", "/api/v1/status;.css",
    "/api/v1/status.json", "/api/v1/status.css", "/API/v1/status", "/api/v1/Status",
    "/%61pi/v1/status",
    "/api/v1/statu%73", "/api/v1/devices/%6cights",
    // Broken encoding
    "/api/v1/status%", "/api/v1/status%2", "/api/v1/status%zz", "/api/v1/%u002e/status",
    "/api/v1/status%25",
    // Other forms of a target
    "http://127.0.0.1/api/v1/status", "https://evil.example/api/v1/status", "api/v1/status",
    "/api/v1/status#x", "*", "127.0.0.1:80", "?/api/v1/status", "/page/?/api/v1/status",
    "/api/v1?/status",
    "@/api/v1/status",
  ]
}

@Suite struct PathTrickTests {
  private static let listener = Listener.port(0, of: "127.0.0.1")

  @Test("F5 · refuses 80 path tricks of anonymous requests")
  func strangers() async throws {
    #expect(Set(PathTricks.all).count >= 80)
    try await TestServer.open(Self.listener) { room in
      for path in PathTricks.all {
        let answer = try await room.sendRaw(lines: [
          "GET \(path) HTTP/1.1", "Host: 127.0.0.1:\(room.port)",
        ])
        #expect(
          answer.status == (PathTricks.isMalformed(path) ? 400 : 401), "\(path): \(answer.text)")
        #expect(!answer.text.contains("devices"), "\(path)")
      }
    }
  }

  @Test(
    "F5 · answers 404 for a path that is not canonical, with a session too")
  func owners() async throws {
    try await TestServer.open(Self.listener) { room in
      let token = try await room.owner().token ?? ""
      for path in PathTricks.all {
        let answer = try await room.sendRaw(lines: [
          "GET \(path) HTTP/1.1", "Host: 127.0.0.1:\(room.port)", "Authorization: Bearer \(token)",
        ])
        #expect(
          answer.status == (PathTricks.isMalformed(path) ? 400 : 404), "\(path): \(answer.text)")
      }
    }
  }

  @Test("F5 · refuses the same path tricks with a session of a lower role")
  func members() async throws {
    try await TestServer.open(Self.listener) { room in
      let member = try await room.member(invitedBy: room.owner())
      for path in PathTricks.all {
        let trick = path.replacing("/api/v1/status", with: "/api/v1/invitations")
          .replacing("status", with: "invitations")
        let answer = try await room.sendRaw(lines: [
          "POST \(trick) HTTP/1.1", "Host: 127.0.0.1:\(room.port)",
          "Authorization: Bearer \(member.token ?? "")",
        ])
        #expect(answer.status.map { (400..<500).contains($0) } == true, "\(trick): \(answer.text)")
        #expect(!answer.text.contains("\"code\":\"forbidden\""), "\(trick) reached the route")
      }
    }
  }

  @Test(
    "F5 · accepts percent-encoding where it is necessary",
    arguments: [
      "/", "/a", "/api/v1/devices/a%20b", "/a/%C3%A4", "/a:b@c,d+e=f&g", "/a%2Cb", "/~a-b.c_d",
    ])
  func canonical(path: String) { #expect(CanonicalPath.matches(path)) }
}
