import APIClient
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of the checks of the folder and of the socket. The check of the process that listens needs
/// a second user; EndToEndTests has its tests.
@Suite struct SocketOwnershipTests {
  private func reason(_ path: String, user: uid_t = geteuid()) -> String? {
    do {
      try SocketOwnership.check(path, user: user)
      return nil
    } catch {
      switch error {
      case .untrusted(let reason, _): return reason
      default: return "\(error)"
      }
    }
  }

  @Test("trusts a socket of this user in a closed folder, and no other")
  func ownership() async throws {
    let user = geteuid()
    try await ScriptedServer.run(reply: "") { server in
      guard case .socket(let path) = server.address else { return }
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      chmod(folder, 0o700)
      chmod(path, 0o700)
      #expect(reason(path) == nil)
      #expect(
        reason(path, user: user + 1)
          == "the folder \(folder) belongs to user \(user), and you are user \(user + 1)")
      for mode: mode_t in [0o770, 0o702, 0o1777] {
        chmod(folder, mode)
        #expect(reason(path)?.hasPrefix("others may write in \(folder)") == true)
      }
      chmod(folder, 0o700)
      for mode: mode_t in [0o770, 0o702] {
        chmod(path, mode)
        #expect(reason(path)?.hasPrefix("others may connect to \(path)") == true)
      }
      chmod(path, 0o700)
      symlink(path, folder + "/link")
      #expect(reason(folder + "/link") == "\(folder)/link is a link, not a socket")
      symlink(folder, folder + "/folder")
      #expect(
        reason(folder + "/folder/theater.sock") == "\(folder)/folder is a link, not a folder")
      #expect(server.requests.isEmpty)
    }
  }
}
