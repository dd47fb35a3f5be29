import Devices
import JSON
import PluginProtocol
import Testing

@testable import PluginHost

@Suite("Check of reports")
struct ReportCheckTests {
  /// A check with the warnings that it has given.
  private final class Bench {
    var check: ReportCheck
    var warnings: [String] = []

    init(_ role: Role) { check = ReportCheck(role) }

    func accepted(
      _ values: [StateKey: JSON], _ attributes: [String: Attribute] = [:]
    ) -> StateNotification {
      var warnings: [String] = []
      let report = StateNotification(device: "it", values: values, attributes: attributes)
      let accepted = check.filtered(report) { warnings.append($0) }
      self.warnings += warnings
      return accepted
    }

    /// The names that were kept, of attributes told one by one.
    func kept(of names: some Sequence<String>, _ attribute: Attribute) -> [String] {
      names.flatMap { accepted([:], [$0: attribute]).attributes.keys }
    }
  }

  @Test("Values of the role's keys pass as they are")
  func plain() {
    let bench = Bench(.amplifier)
    let values: [StateKey: JSON] = [
      .power: "on", .input: nil, .mode: "surround", .volume: 40, .muted: false,
    ]
    #expect(bench.accepted(values).values == values)
    #expect(bench.warnings.isEmpty)
  }

  @Test("A value out of range is dropped, what stands beside it is kept, with one warning")
  func outOfRange() throws {
    let bench = Bench(.lights)
    for value: JSON in [-5, 101, "12", nil, 1e300, [:]] {
      #expect(bench.accepted([.brightness: value, .power: "on"]).values == [.power: "on"])
    }
    #expect(bench.accepted([.brightness: 40]).values == [.brightness: 40])
    let warning = try #require(bench.warnings.first)
    #expect(bench.warnings.count == 1)
    #expect(warning.contains("brightness -5, expected a whole number from 0 to 100 (%)"))
    #expect(bench.accepted([.power: "purple"]).isEmpty)
    #expect(bench.warnings.count == 2, "another key is another fault")
  }

  @Test("A key that the role does not have is dropped, with one warning")
  func foreignKeys() throws {
    let bench = Bench(.lights)
    for key in StateKey.allCases where ![.power, .brightness].contains(key) {
      #expect(bench.accepted([key: Playback(.playing).json]).isEmpty)
    }
    #expect(bench.warnings.count == 1)
    #expect(try #require(bench.warnings.first).contains("which is no state of lights"))
  }

  @Test("Only the known members of a playback are kept, and its texts are cut")
  func playback() throws {
    let bench = Bench(.cdPlayer)
    let long = String(repeating: "x", count: 200_000)
    let told: JSON = [
      "state": "playing", "item": "a", "position": 75, "duration": 60, "reason": .string(long),
      "title": .string(long), "padding": .string(long), "rate": "fast",
    ]
    let kept = try #require(bench.accepted([.playback: told]).values[.playback])
    #expect(kept.text().utf8.count < 3 * ProtocolLimits.title)
    #expect(kept["padding"] == nil && kept["rate"] == 1 && kept["position"] == 60)
    #expect(bench.warnings.isEmpty)
    for wrong: JSON in [
      ["state": "playing", "position": -1], ["state": "playing", "rate": 1e300],
      ["state": "playing", "item": .string(long)], ["state": "levitating"],
    ] { #expect(bench.accepted([.playback: wrong]).isEmpty) }
    #expect(bench.warnings.count == 1)
  }

  @Test("At most 64 attributes are kept, however many names come, with one warning")
  func attributeNames() throws {
    let bench = Bench(.lights)
    let kept = bench.kept(of: (0..<5000).map { "name \($0)" }, Attribute(1))
    #expect(kept == (0..<ProtocolLimits.attributes).map { "name \($0)" })
    #expect(bench.warnings.count == 1)
    #expect(try #require(bench.warnings.first).contains("more than 64 attributes"))
    #expect(bench.accepted([:], ["name 3": Attribute(2)]).attributes["name 3"]?.value == 2)
    let many = Dictionary(uniqueKeysWithValues: (0..<5000).map { ("new \($0)", Attribute(1)) })
    #expect(bench.accepted([:], many).isEmpty)
  }

  @Test("All attributes together have at most 16 KiB, and a smaller value gives room back")
  func attributeBytes() {
    let bench = Bench(.lights)
    let large = Attribute(.string(String(repeating: "x", count: ProtocolLimits.attributeValue)))
    let names = (0..<ProtocolLimits.attributes).map { "a\($0)" }
    let kept = bench.kept(of: names, large)
    let size = kept.reduce(0) { $0 + large.byteCount(name: $1) }
    #expect((ProtocolLimits.attributeBytes - 2048...ProtocolLimits.attributeBytes).contains(size))
    #expect(bench.warnings.count == 1)
    #expect(bench.kept(of: ["new"], large).isEmpty)
    #expect(bench.kept(of: kept.prefix(1), Attribute("small")).count == 1)
    #expect(bench.kept(of: ["new"], large) == ["new"])
    #expect(bench.kept(of: kept.prefix(1), large).isEmpty, "it cannot grow again")
  }

  @Test("An attribute's name is cut, a value that is too large is dropped with one warning")
  func attributeTexts() {
    let bench = Bench(.lights)
    let long = String(repeating: "ä", count: 1000)
    let name = bench.kept(of: [long], Attribute(1)).first ?? ""
    #expect(name.utf8.count <= ProtocolLimits.attributeName && name.hasSuffix("…"))
    let list = Attribute(.array(Array(repeating: 1, count: 2000)))
    #expect(bench.kept(of: ["a", "b", "c"], list).isEmpty)
    #expect(bench.warnings.count == 1)
  }

  @Test("Capabilities that the role does not have are dropped, and each kind of cable counts once")
  func capabilities() {
    let names = Set((0..<10_000).map { "can \($0)" } + ["stop", "seek"])
    let told = Capabilities(
      names: names, cables: Array(repeating: [.pcm, .wired], count: 1000).flatMap(\.self))
    #expect(told.bounded(for: .screen) == Capabilities(names: ["stop"], cables: [.pcm, .wired]))
    #expect(told.bounded(for: .cdPlayer).names == ["seek"])
    #expect(told.bounded(for: .lights).names.isEmpty)
  }
}

@Suite("Reading of a catalogue")
struct CatalogueScanTests {
  private func item(_ number: Int, _ title: String = "x") -> CatalogueItem {
    CatalogueItem(id: "\(number)", title: title)
  }

  @Test("E9 · pages are read to the last one")
  func pages() {
    var scan = CatalogueScan(from: .zero)
    scan.append(.init([item(1), item(2)], next: "1"), at: .zero)
    #expect(scan.cursor == "1")
    scan.append(.init([item(3)]), at: .zero)
    #expect(scan.cursor == nil && scan.fault == nil)
    #expect(scan.items.map(\.id) == ["1", "2", "3"])
  }

  @Test("Pages without an end: at most 100,000 items are kept")
  func items() throws {
    var scan = CatalogueScan(from: .zero)
    let page = ScanRequest.Page((0..<9000).map { item($0) }, next: "on")
    var pages = 0
    while scan.cursor != nil {
      scan.append(page, at: .zero)
      pages += 1
    }
    #expect(pages == 12 && scan.items.count == ProtocolLimits.catalogueItems)
    #expect(try #require(scan.fault).contains("after 100000 items"))
  }

  @Test("Pages without an end: at most 32 MiB are kept, in texts that are cut")
  func bytes() {
    var scan = CatalogueScan(from: .zero)
    let title = String(repeating: "x", count: 200_000)
    let path = String(repeating: "y", count: ProtocolLimits.item - 10)
    let items = (0..<1000).map {
      CatalogueItem(id: "\($0) \(path)", title: title, artist: title, album: title)
    }
    while scan.cursor != nil { scan.append(.init(items, next: "on"), at: .zero) }
    let size = scan.items.reduce(0) { $0 + $1.byteCount }
    #expect(size <= ProtocolLimits.catalogueBytes && size > ProtocolLimits.catalogueBytes / 2)
    #expect(scan.items.allSatisfy { $0.title.utf8.count <= ProtocolLimits.title })
    #expect(scan.fault != nil)
  }

  @Test("Pages without an end: at most 10,000 are read, for at most ten minutes")
  func pagesAndTime() throws {
    var scan = CatalogueScan(from: .zero)
    while scan.cursor != nil { scan.append(.init([item(1)], next: "on"), at: .zero) }
    #expect(scan.items.count == ProtocolLimits.cataloguePages)
    #expect(try #require(scan.fault).contains("pages"))
    var slow = CatalogueScan(from: .seconds(100))
    slow.append(.init([item(1)], next: "1"), at: .seconds(699))
    #expect(slow.cursor == "1")
    slow.append(.init([item(2)], next: "2"), at: .seconds(700))
    #expect(slow.cursor == nil && slow.items.count == 2)
    #expect(try #require(slow.fault).contains("600 s"))
  }

  @Test("A cursor that is too long ends the catalogue; an id that is too long is left out")
  func longNames() throws {
    var scan = CatalogueScan(from: .zero)
    let cursor = String(repeating: "c", count: ProtocolLimits.cursor + 1)
    scan.append(.init([item(1)], next: cursor), at: .zero)
    #expect(scan.cursor == nil && scan.items.count == 1)
    var other = CatalogueScan(from: .zero)
    let id = String(repeating: "i", count: ProtocolLimits.item + 1)
    other.append(.init([CatalogueItem(id: id, title: "x"), item(2)]), at: .zero)
    #expect(other.items == [item(2)])
    #expect(try #require(other.fault).contains("without 1 of its items"))
  }

  @Test("F1 · delayed values keep their own provenance, and the newest value of each key counts")
  func delayed() {
    var intake = ReportIntake(.amplifier)
    func send(_ values: [StateKey: JSON], _ provenance: Provenance) -> [StateNotification] {
      intake.accept(
        StateNotification(device: "it", values: values, provenance: provenance), at: .zero
      ) { _ in }
    }
    while !intake.hasDelayedReports { _ = send([.mode: "stereo"], .reported) }
    #expect(send([.volume: 30, .mode: "surround"], .assumed).isEmpty)
    #expect(send([.power: "on", .volume: 40], .reported).isEmpty)
    #expect(send([.muted: false], .assumed).isEmpty)
    let applied = intake.removeDelayed(at: .seconds(60))
    var state: [StateKey: (JSON, Provenance)] = [:]
    for report in applied {
      for (key, value) in report.values { state[key] = (value, report.provenance) }
    }
    #expect(state.mapValues(\.0) == [.power: "on", .volume: 40, .mode: "surround", .muted: false])
    #expect(
      state.mapValues(\.1)
        == [.power: .reported, .volume: .reported, .mode: .assumed, .muted: .assumed])
    #expect(!intake.hasDelayedReports)
  }
}
