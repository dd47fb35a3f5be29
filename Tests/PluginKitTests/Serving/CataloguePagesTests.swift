import Devices
import PluginProtocol
import Testing

@testable import PluginKit

@Suite("Pages of a catalogue")
struct CataloguePagesTests {
  private static let songs = (0..<20_000).map { number in
    CatalogueItem(
      id: "Music/Some Artist/Some Album/\(number) A Title of Common Length.flac",
      title: "A Title of Common Length \(number)", artist: "Some Artist", album: "Some Album",
      track: number % 20, duration: 241.5, format: "flac", channels: 2)
  }

  @Test("E9 · 20,000 songs come whole and in order, in lines that are not too long")
  func many() throws {
    var pages = CataloguePages()
    var page = pages.begin(CatalogueListing(Self.songs))
    var all = page.items
    var count = 1
    while let next = page.next {
      let line = RPCMessage.success(id: 1, result: ScanRequest.encodeAnswer(page)).line()
      #expect(line.count <= ProtocolLimits.longestLine)
      let turned = pages.page(at: next)
      page = try #require(turned)
      all += page.items
      count += 1
    }
    #expect(all == Self.songs)
    #expect((3...8).contains(count))
  }

  @Test("the first page alone names the left-out files, in lines that are not too long")
  func leftOut() throws {
    var pages = CataloguePages()
    let files = (0..<150).map {
      CatalogueListing.LeftOutFile(
        file: String(repeating: "x", count: 400), reason: "\($0)", hint: "h")
    }
    let first = pages.begin(CatalogueListing(Self.songs, leftOut: files))
    #expect(first.leftOut == Array(files.prefix(CatalogueListing.mostLeftOut)))
    #expect(first.leftOutCount == 150)
    let line = RPCMessage.success(id: 1, result: ScanRequest.encodeAnswer(first)).line()
    #expect(line.count <= ProtocolLimits.longestLine)
    #expect(ScanRequest.decodeAnswer(ScanRequest.encodeAnswer(first)) == first)
    let next = pages.page(at: try #require(first.next))
    #expect(next?.leftOut == [] && next?.leftOutCount == 0)
  }

  @Test("A cursor that is not the next one is not taken; a new list forgets the old one")
  func cursors() throws {
    var pages = CataloguePages()
    let first = pages.begin(CatalogueListing(Self.songs))
    let wrong = ["x", "", "0", "2"].compactMap { pages.page(at: $0) }
    #expect(wrong.isEmpty)
    let again = pages.begin(CatalogueListing(Self.songs))
    #expect(again.items == first.items)
    let old = pages.page(at: try #require(first.next))
    #expect(old == nil)
    let next = try #require(again.next)
    let turned = [pages.page(at: next), pages.page(at: next)].compactMap(\.self)
    #expect(turned.count == 1)
  }

  @Test("An id that the controller refuses is left out, a title is cut; nothing is one empty page")
  func extremes() {
    var pages = CataloguePages()
    let long = String(repeating: "x", count: ProtocolLimits.longestLine)
    let marks = "e" + String(repeating: "\u{301}", count: 31)
    let short = CatalogueItem(id: "y", title: "y")
    let page = pages.begin(
      CatalogueListing([
        CatalogueItem(id: long, title: "x"), short, CatalogueItem(id: marks, title: "x"),
        CatalogueItem(id: "z", title: long),
      ]))
    #expect(page.items.map(\.id) == ["y", "z"])
    #expect(page.items.allSatisfy { $0.title.utf8.count <= ProtocolLimits.title })
    #expect(page.next == nil)
    let empty = pages.begin(CatalogueListing([]))
    #expect(empty == ScanRequest.Page([]))
  }
}
