import Devices
import Foundation
import JSON
import MediaNames
import TestSupport
import Testing

@testable import Discovery

@Suite struct MachineSearchTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ path: String, _ text: String = "") throws {
    try folder.write(path, Array(text.utf8))
  }

  @Test("F7 · Sound cards become PCMs, with the mixers that the plugin lists")
  func sound() async throws {
    try write(
      "proc/asound/cards",
      " 0 [PCH            ]: HDA-Intel - HDA Intel PCH\n                      HDA at 0xf7\n"
        + " 1 [NVidia         ]: HDA-Intel - HDA NVidia\n"
        + " 2 [my-dac         ]: USB-Audio - My DAC\n")
    try write("proc/asound/card0/pcm0p/info", "card: 0\nid: ALC892 Analog\nname: ALC892 Analog\n")
    try write("proc/asound/card0/pcm0c/info", "name: capture\n")
    try write("proc/asound/card1/pcm3p/info", "name: HDMI 0\n")
    try write("proc/asound/card1/pcm7p/info", "name: HDMI 1\n")
    try write("proc/asound/card2/pcm0p/info", "name: USB Audio\n")
    let result = await SoundSearch(root: folder.path) {
      ["mixers": [["name": "hw:0/Master"], ["name": "default/PCM"], ["name": "hw:1/IEC958"]]]
    }.run()
    #expect(
      result.findings.map { $0.entry(for: .amplifier)["options"]?["device"]?.string } == [
        "hw:CARD=PCH,DEV=0", "hdmi:CARD=NVidia,DEV=0", "hdmi:CARD=NVidia,DEV=1",
        // The names of PCMs that the amplifier accepts have no hyphen in a card's id.
        "hw:CARD=2,DEV=0",
      ])
    #expect(result.findings.first?.notes == ["Mixers for the option \"mixer\": Master."])
    #expect(result.findings.first?.title == "Sound card HDA Intel PCH, ALC892 Analog")
  }

  @Test("A malformed list has no cards, and at most 32 cards are read")
  func noCards() {
    for text in [
      "--- no soundcards ---", " x [a]: b", " 99 [A]: c", " 0 [$(x)]: c", "[", " 0 []: -",
    ] {
      #expect(SoundSearch.cards(text).isEmpty, "\(text)")
    }
    let many = (0..<32).map { " \($0) [C\($0)]: x - y\n" }.joined()
    #expect(SoundSearch.cards(many + many).count == 32)
  }

  @Test("F7 · Drives are found by their names, with vendor and model on one line")
  func drives() async throws {
    try write("sys/block/sr0/device/vendor", "HL-DT-ST\n")
    try write("sys/block/sr0/device/model", "DVDRAM\u{1b}[31m GH24\n\n")
    try write("sys/block/sda/device/model", "disk\n")
    try write("sys/block/srx/device/model", "x\n")
    let findings = await DriveSearch(root: folder.path).run().findings
    #expect(findings.map(\.title) == ["Optical drive HL-DT-ST DVDRAM[31m GH24"])
    #expect(findings.first?.options(for: .cdPlayer) == ["drive": "/dev/sr0"])
  }

  @Test("F7 · Displays of the session and connected connectors are found")
  func displays() async throws {
    try write("sys/class/drm/card0-HDMI-A-1/status", "connected\n")
    try write("sys/class/drm/card0-HDMI-A-1/modes", "3840x2160\n1920x1080\n")
    try write("sys/class/drm/card0-DP-1/status", "disconnected\n")
    let findings = await DisplaySearch(root: folder.path) { name in
      ["DISPLAY": ":0", "WAYLAND_DISPLAY": "bad name"][name]
    }.run().findings
    #expect(findings.map(\.id) == ["display::0", "connector:HDMI-A-1"])
    #expect(findings.last?.title == "Display at HDMI-A-1 with 3840x2160")
    #expect(
      findings.last?.options(for: .dvdPlayer) == ["videoOutput": "drm", "display": "HDMI-A-1"])
  }

  @Test("F7 · Displays at two graphics cards have the names of their cards")
  func twoGraphicsCards() async throws {
    for connector in ["card0-HDMI-A-1", "card1-HDMI-A-1", "card1-DP-1"] {
      try write("sys/class/drm/\(connector)/status", "connected\n")
    }
    let findings = await DisplaySearch(root: folder.path) { _ in nil }.run().findings
    #expect(
      Set(findings.map(\.id)) == [
        "connector:card0-HDMI-A-1", "connector:card1-HDMI-A-1", "connector:card1-DP-1",
      ])
    #expect(
      Set(findings.compactMap { $0.options(for: .dvdPlayer)["display"]?.string }) == [
        "card0-HDMI-A-1", "card1-HDMI-A-1", "card1-DP-1",
      ])
  }

  @Test("F7 · Folders of the user and of disks are counted, each once")
  func folders() async throws {
    try write(
      "home/.config/user-dirs.dirs",
      "# x\nXDG_MUSIC_DIR=\"$HOME/Klänge\"\nXDG_VIDEOS_DIR=\"$HOME/\"\nXDG_X=\"/\"\n")
    for name in ["a.flac", "b/c.MP3", "b/.hidden.mp3", "cover.jpg"] {
      try write("home/Klänge/\(name)")
    }
    try write("media/me/disk/Film.mkv")
    try write("srv/films/Disc/VIDEO_TS/VTS_01_1.VOB")
    try write("srv/films/Disc/VIDEO_TS/VIDEO_TS.IFO")
    try write("mnt/empty/readme.txt")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path(of: "mnt/again"), withDestinationPath: folder.path(of: "srv/films"))
    let findings = await FolderSearch(home: folder.path(of: "home"), root: folder.path).run()
      .findings
    #expect(
      findings.map(\.title) == ["Folder with 2 songs", "Folder with 1 film", "Folder with 1 film"])
    #expect(findings.first?.plugin == "LibavPlayer")
  }

  @Test("F7 · The folders of a user-dirs.dirs outside ~/.config are found")
  func settings() async throws {
    try write("settings/user-dirs.dirs", "XDG_MUSIC_DIR=\"$HOME/Klänge\"\n")
    try write("home/Klänge/a.flac")
    let search = FolderSearch(
      home: folder.path(of: "home"), settings: folder.path(of: "settings"), root: folder.path)
    #expect(await search.run().findings.map(\.title) == ["Folder with 1 song"])
  }

  @Test("A problem says that not all folders were searched")
  func tooManyFolders() async throws {
    for index in 0..<32 {
      try write("mnt/\(index)/film.mkv")
      try write("srv/\(index)/film.mkv")
    }
    let result = await FolderSearch(home: folder.path(of: "home"), root: folder.path).run()
    // Two of the 66 are folders of the user that do not exist.
    #expect(result.findings.count == 62)
    #expect(result.problems == ["folders: only the first 64 of 66 folders were searched"])
  }

  @Test("Every film that the player lists is counted, also a DVD folder in lower case")
  func films() async throws {
    for ending in FilmFiles.extensions { try write("home/Videos/film.\(ending)") }
    try write("home/Videos/Ferry/video_ts/video_ts.ifo")
    try write("home/Videos/Ferry/video_ts/vts_01_1.vob")
    let findings = await FolderSearch(home: folder.path(of: "home"), root: folder.path).run()
      .findings
    #expect(
      findings.map(\.title) == ["Folder with \(FilmFiles.extensions.count + 1) films"])
  }

  @Test("Hidden entries count, and a folder is read only until the deadline")
  func hiddenEntries() throws {
    for index in 0..<30 { try write("many/.\(index).mp3") }
    let path = folder.path(of: "many")
    let bounded = FolderEntries(path, most: 10)
    #expect(bounded.count == 10 && bounded.isCut && bounded.names.isEmpty)
    let whole = FolderEntries(path, most: 30)
    #expect(whole.count == 30 && !whole.isCut)
    let late = FolderEntries(
      path, most: 30, until: SearchDeadline(after: .zero, or: CancellationFlag()))
    #expect(late.count == 0 && late.isCut)
  }

  @Test("A folder beyond the bounds is counted in part, and its title says so")
  func bounds() async throws {
    for index in 0..<30 { try write("home/Music/\(index).mp3") }
    try write("home/Videos/1/2/3/deep.mkv")
    try write("home/Videos/film.mkv")
    var limits = FolderSearch.Limits()
    limits.entries = 10
    limits.depth = 1
    let findings = await FolderSearch(
      home: folder.path(of: "home"), root: folder.path, limits: limits
    ).run().findings
    #expect(
      findings.map(\.title) == ["Folder with at least 1 film", "Folder with at least 10 songs"])
    limits.time = .zero
    let late = await FolderSearch(
      home: folder.path(of: "home"), root: folder.path, limits: limits
    ).run()
    #expect(late.findings.isEmpty && late.problems.count == 1)
  }
}
