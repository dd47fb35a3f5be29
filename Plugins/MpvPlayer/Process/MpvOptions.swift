import Devices
import JSON
import PluginKit

/// The validated options of a player. The controller has checked them against the manifest; they are checked again
/// here, because the plugin may run without the controller.
struct MpvOptions: Sendable {
  /// A network stream with a name.
  struct Stream: Sendable, Equatable {
    let name: String
    let url: String
  }

  /// The paths of the media folders, at most 64.
  let folders: [String]
  /// The network streams, at most 1,000.
  let streams: [Stream]
  /// The path of a drive, of an image or of a DVD folder; empty without one.
  let drive: String
  /// An X11 or Wayland display, or a DRM connector; empty for the display of the controller.
  let display: String
  let videoOutput: String
  let isFullScreen: Bool
  /// The number of the screen for full screen, 0 to 31; nil leaves the choice to the window manager.
  let screen: Int?
  let audioLanguages: [String]
  let subtitleLanguages: [String]
  let showsSubtitles: Bool
  let hardwareDecoding: String
  /// The name of an ALSA PCM; empty for the cable to the amplifier.
  let audioDevice: String
  /// Whether the player plays on the PCM that the amplifier lends to it.
  let isLent: Bool
  let isStereo: Bool

  private enum VideoOutput: String, CaseIterable {
    case auto, gpu, x11, xv, sdl, vdpau, vaapi, wlshm, drm, null
    case gpuNext = "gpu-next"
    case dmabufWayland = "dmabuf-wayland"
  }
  private enum HardwareDecoding: String, CaseIterable {
    case autoSafe = "auto-safe"
    case auto, no, vaapi, vdpau, nvdec, drm
  }
  private enum Channels: String, CaseIterable { case auto, stereo }

  /// - Throws: `invalid` with the name of the wrong option.
  init(_ json: JSON) throws(DeviceError) {
    let reader = OptionReader(json)
    folders = try reader.texts("folders", most: 64)
    drive = try reader.line("drive")
    display = try reader.line("display")
    videoOutput = try reader.choice("videoOutput", or: VideoOutput.auto).rawValue
    isFullScreen = try reader.flag("fullScreen", or: true)
    screen = try reader.integer("screen", in: 0...31)
    audioLanguages = try reader.languages("audioLanguages")
    subtitleLanguages = try reader.languages("subtitleLanguages")
    showsSubtitles = try reader.flag("subtitles", or: false)
    hardwareDecoding = try reader.choice("hardwareDecoding", or: HardwareDecoding.autoSafe)
      .rawValue
    let hasNoDevice = reader.json["audioDevice"] == ""
    audioDevice = hasNoDevice ? "" : try reader.soundDevice("audioDevice")?.text ?? ""
    isLent = try reader.flag("lending", or: false)
    guard !isLent || audioDevice.isEmpty else {
      throw reader.error("audioDevice", "cannot be set together with \"lending\"")
    }
    isStereo = try reader.choice("channels", or: Channels.auto) == .stereo
    streams = try reader.streams("streams", most: 1000)
  }

  /// Returns whether mpv may open this address: at most 2,000 bytes with a network scheme, without spaces and control
  /// characters. mpv's other schemes open files or start programs.
  fileprivate static func isStreamAddress(_ url: String) -> Bool {
    ["http://", "https://", "rtsp://", "rtmp://"].contains { url.hasPrefix($0) }
      && url.utf8.count <= 2000 && !url.utf8.contains { $0 <= 0x20 || $0 == 0x7F }
  }
}

extension MpvOptions {
  /// Returns mpv's arguments for picture and sound.
  ///
  /// - Parameters:
  ///   - hasDisplay: Whether there is an X11 or Wayland display.
  ///   - device: The name of the ALSA PCM; empty if the amplifier lends one later.
  func arguments(hasDisplay: Bool, device: String) -> [String] {
    var list = [
      "--vo=\(output(hasDisplay: hasDisplay))", "--hwdec=\(hardwareDecoding)",
      // Without a lent PCM, the film continues in real time on the silent output `null`.
      "--ao=\(isLent ? "alsa,null" : "alsa")", "--audio-device=\(Self.audioDevice(device))",
      "--audio-channels=\(isStereo ? "stereo" : "auto")",
      // The subtitles are chosen when mpv has read the film (`TrackChoice`).
      "--sid=no", "--sub-auto=exact",
      "--cursor-autohide=always", "--force-window=no", "--network-timeout=10",
      "--gapless-audio=weak", "--prefetch-playlist=yes",
      // libav connects again after 0, 1, 4, 11 and 26 s. Without this option, it gives up after 11 s.
      "--stream-lavf-o-append=reconnect_delay_max=15",
    ]
    if isCable {
      // mpv's default buffer of 100 ms is too short for a busy machine. The longer buffer does not delay a pause,
      // because the PCM silences the amplifier at once.
      list += ["--alsa-buffer-time=400000", "--alsa-periods=8", "--audio-buffer=0.4"]
    }
    if isFullScreen { list.append("--fullscreen=yes") }
    if let screen { list.append("--fs-screen=\(screen)") }
    for (argument, languages) in [("alang", audioLanguages), ("slang", subtitleLanguages)]
    where !languages.isEmpty {
      let codes = languages.flatMap(LanguageCodes.synonyms)
      list.append("--\(argument)=\(codes.joined(separator: ","))")
    }
    if !drive.isEmpty { list += ["--dvd-device=\(drive)", "--cdrom-device=\(drive)"] }
    // Lets mpv use OpenGL in software if the user chose it. Not for "auto": there mpv then uses x11, which is faster.
    if videoOutput.hasPrefix("gpu") { list.append("--gpu-sw=yes") }
    if videoOutput == "drm" {
      list.append("--gpu-context=drm")
      let parts = display.split(separator: "-", maxSplits: 1)
      if parts.count == 2, parts[0].hasPrefix("card") {
        list += ["--drm-device=/dev/dri/\(parts[0])", "--drm-connector=\(parts[1])"]
      } else if !display.isEmpty {
        list.append("--drm-connector=\(display)")
      }
    }
    return list
  }

  /// mpv's audio filter for a medium.
  ///
  /// mpv may close its output when the amplifier has received the last frame, before that frame is heard. With half a
  /// second of silence added at the end, only silence is lost. Between two songs there is none.
  func filter(for medium: Medium) -> String {
    isCable && medium.isLast ? "lavfi=[apad=pad_dur=0.5]" : ""
  }

  /// The choice of sound and subtitles.
  var trackChoice: TrackChoice {
    TrackChoice(
      audioLanguages: audioLanguages, subtitleLanguages: subtitleLanguages,
      showsSubtitles: showsSubtitles)
  }

  /// Whether the sound goes through the cable to the amplifier.
  var isCable: Bool { audioDevice.isEmpty && !isLent }

  /// Returns mpv's name of an ALSA PCM; for an empty name, the name of a silent output.
  static func audioDevice(_ pcm: String) -> String { pcm.isEmpty ? "null/none" : "alsa/\(pcm)" }

  /// Returns the environment variable for the option `display`. Without that option, and for the output `drm`, returns
  /// `own`, the variables of this process.
  func displayVariables(_ own: [String: String]) -> [String: String] {
    guard !display.isEmpty, videoOutput != "drm" else { return own }
    return display.hasPrefix("wayland")
      ? ["WAYLAND_DISPLAY": display] : ["DISPLAY": display]
  }

  private func output(hasDisplay: Bool) -> String {
    // mpv tries the next output of the list if one cannot be opened.
    switch videoOutput {
    case "auto": hasDisplay ? "gpu,x11,wlshm" : "null"
    case "drm": "gpu,drm"
    default: videoOutput
    }
  }
}

extension OptionReader {
  /// Returns a text of one line, without bytes below 0x20; an empty text if the option is missing.
  fileprivate func line(_ key: String) throws(DeviceError) -> String {
    let text = try text(key) ?? ""
    guard !text.utf8.contains(where: { $0 < 0x20 }) else { throw error(key, "is not one line") }
    return text
  }

  /// Returns streams with unique names of 1 to 200 bytes.
  fileprivate func streams(_ key: String, most: Int) throws(DeviceError) -> [MpvOptions.Stream] {
    guard let value = json[key] else { return [] }
    guard let entries = value.array, entries.count <= most else {
      throw error(key, "is not a list of at most \(most) streams")
    }
    var streams: [MpvOptions.Stream] = []
    var names: Set<String> = []
    for entry in entries {
      guard let name = entry["name"]?.string, let url = entry["url"]?.string, !name.isEmpty,
        name.utf8.count <= 200, MpvOptions.isStreamAddress(url)
      else {
        throw error(
          key, "has an entry without a name, or without an address with http, https, rtsp or rtmp")
      }
      guard names.insert(name).inserted else {
        throw error(key, "has two entries with the name \"\(name)\"")
      }
      streams.append(MpvOptions.Stream(name: name, url: url))
    }
    return streams
  }

  /// Returns language codes of 2 to 8 letters and hyphens. Commas are rejected, because mpv separates codes by them.
  fileprivate func languages(_ key: String) throws(DeviceError) -> [String] {
    let codes = try texts(key, most: 16)
    let isValid = codes.allSatisfy { code in
      (2...8).contains(code.utf8.count)
        && code.utf8.allSatisfy { $0 == 0x2D || (0x61...0x7A).contains($0 | 0x20) }
    }
    guard isValid else {
      throw error(key, "is not a list of language codes such as \"en\" or \"deu\"")
    }
    return codes
  }
}
