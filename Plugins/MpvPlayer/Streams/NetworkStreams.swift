import JSON
import MediaFolders
import MediaNames
import MediaNetwork
import Platform
import Synchronization

/// The network streams of a player. mpv reaches those with http and https through a ``MediaProxy``, which starts with
/// the first of them. Safe from any thread.
final class NetworkStreams: Sendable {
  /// Milliseconds within which a server must answer when a stream's playlist is read.
  private static let patience: UInt64 = 8_000

  private let makeProxy: @Sendable () throws(SystemError) -> MediaProxy
  private let proxy = Mutex<MediaProxy?>(nil)

  init(makeProxy: @escaping @Sendable () throws(SystemError) -> MediaProxy) {
    self.makeProxy = makeProxy
  }

  /// Returns the medium at a configured address; for a playlist, that of its first stream that answers.
  func medium(_ item: String, at url: String) async throws(MediaFailure) -> Medium {
    guard let address = MediaAddress(url) else {
      // Without the proxy, mpv would follow such an address anywhere.
      guard !url.hasPrefix("http") else { throw Self.noServer }
      return Medium(
        item: item, source: .address(try realTimeAddress(of: url)), network: .realTime)
    }
    let access = try runningProxy().access(to: address)
    let network = Medium.Network.file(through: access)
    guard Self.mayBePlaylist(address.path) else {
      return Medium(item: item, source: .address(url), network: network)
    }
    let (found, isList) = try await Self.stream(item, at: address, through: access)
    if isList {
      return Medium(
        item: item, source: .address(SegmentList.relayed(found).text),
        network: .segments(through: access))
    }
    return Medium(
      item: item, source: .address(found == address ? url : found.url), network: network)
  }

  private static let noServer = MediaFailure(
    .unsupported, subject: "", detail: "its address names no server",
    hint: "Check the \"url\" of the stream.")

  /// Returns the address of a relay for rtsp, whose servers may redirect anywhere; for rtmp, which knows no redirects,
  /// the address itself.
  private func realTimeAddress(of url: String) throws(MediaFailure) -> String {
    let scheme = "rtsp://"
    guard url.hasPrefix(scheme) else { return url }
    let rest = url.dropFirst(scheme.count)
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    let begin = rest[..<end].lastIndex(of: "@").map { rest.index(after: $0) } ?? rest.startIndex
    guard let (host, port) = MediaAddress.hostAndPort(rest[begin..<end], defaultPort: 554) else {
      throw Self.noServer
    }
    let server = ConnectionRule.Server(host: host, port: port)
    let proxy = try runningProxy()
    let relay = try Self.mediaFailure { () throws(SystemError) in try proxy.relayPort(to: server) }
    return "\(scheme)\(rest[..<begin])127.0.0.1:\(relay)\(rest[end...])"
  }

  private func runningProxy() throws(MediaFailure) -> MediaProxy {
    let result: Result<MediaProxy, SystemError> = proxy.withLock { proxy in
      if let proxy { return .success(proxy) }
      return Result { () throws(SystemError) in
        let new = try makeProxy()
        proxy = new
        return new
      }
    }
    return try Self.mediaFailure { () throws(SystemError) in try result.get() }
  }

  /// Converts the error of the system into a media failure.
  private static func mediaFailure<Value>(
    _ body: () throws(SystemError) -> Value
  ) throws(MediaFailure) -> Value {
    do throws(SystemError) {
      return try body()
    } catch {
      throw MediaFailure(
        .unreachable, subject: "", detail: "no connection can be made: \(error)",
        hint: "See the limits with: ulimit -a")
    }
  }

  /// Whether an address may lead to a playlist: its name is not that of a film. Such a stream is requested once more
  /// before mpv does.
  private static func mayBePlaylist(_ path: String) -> Bool {
    let name = path.prefix { $0 != "?" }
    guard let dot = name.lastIndex(of: "."), !name[dot...].contains("/") else { return true }
    return !FilmFiles.extensions.contains(name[name.index(after: dot)...].lowercased())
  }

  /// Follows playlists to the first stream that answers. Returns its address, and whether it is a list of segments.
  private static func stream(
    _ item: String, at address: MediaAddress, through access: NetworkAccess
  ) async throws(MediaFailure) -> (address: MediaAddress, isList: Bool) {
    let interrupt = LibavInterrupt()
    let result: Result<(MediaAddress, Bool), MediaFailure> = await withTaskCancellationHandler {
      await SystemThread.run(name: "stream") {
        Result { () throws(MediaFailure) in
          let found = try StreamOpener(
            through: access, subject: item, patience: patience, interrupt: interrupt
          ).open(address)
          if case .hls = found.stream { return (found.address, true) }
          return (found.address, false)
        }
      }
    } onCancel: {
      interrupt.cancel()
    }
    do throws(MediaFailure) {
      return try result.get()
    } catch {
      // Without libav in this process, mpv alone must open it.
      if error.kind == .unavailable { return (address, false) }
      throw error
    }
  }
}

extension Medium {
  /// The access to the network while a stream plays.
  struct Network: Equatable, Sendable {
    /// The address of the proxy; empty for streams that cannot use one.
    let proxy: String
    /// The protocols that libav may use, by its names.
    let protocols: String
    /// The containers that libav may read, by its names; nil for all.
    let formats: String?

    /// The containers that hold a film or its sound, and refer to nothing else.
    private static let containers =
      "matroska,mov,mpegts,mpeg,mpegvideo,h264,hevc,avi,flv,asf,ogg,mp3,aac,ac3,eac3,dts,flac,wav,mxf,nut,rm,wtv,"
      + "ivf,mjpeg,mpjpeg"

    /// The access of a stream that is one file.
    static func file(through access: NetworkAccess) -> Network {
      Network(proxy: access.proxy, protocols: MediaReader.protocols, formats: containers)
    }

    /// The access of a list of segments (HLS), whose references mpv follows. libav would open `tcp://…` and
    /// `httpproxy://…` in it without the proxy, so mpv gets only checked lists, for https too.
    static func segments(through access: NetworkAccess) -> Network {
      Network(
        proxy: access.listProxy, protocols: "http,tcp,crypto",
        formats: "hls,webvtt,\(containers)")
    }

    /// The access of streams with rtsp and rtmp. They connect to the configured server alone.
    static let realTime = Network(proxy: "", protocols: "rtsp,rtmp,tcp", formats: nil)

    /// The options of mpv while the stream is loaded. Without them mpv opens nothing in the network (`MpvProcess`).
    var options: JSON {
      [
        "http-proxy": .string(proxy),
        "demuxer-lavf-o": .string(
          "protocol_whitelist=[\(protocols)]" + (formats.map { ",format_whitelist=[\($0)]" } ?? "")),
        // mpv's own demuxers of playlists would open every address in them.
        "demuxer": "lavf",
        // HLS is a list of references.
        "access-references": "yes",
      ]
    }
  }
}
