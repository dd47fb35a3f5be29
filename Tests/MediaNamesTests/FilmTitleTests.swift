import Testing

@testable import MediaNames

@Suite("Titles of films from the names of their files")
struct FilmTitleTests {
  @Test(
    "reads title and year from the name of a release",
    arguments: [
      ("Night.Ferry.2019.1080p.BluRay.x264-GRP", "Night Ferry (2019)"),
      ("Night.Ferry.2019.1080p.BluRay.x264-GRP.mkv", "Night Ferry (2019)"),
      ("Night Ferry (2019) [1080p] [BluRay] [5.1] [YTS.MX].mp4", "Night Ferry (2019)"),
      ("Night_Ferry_2019_720p_WEB-DL_AAC2.0_H.264-GRP.mkv", "Night Ferry (2019)"),
      ("night.ferry.2019.german.dl.1080p.bluray.x264-grp.mkv", "night ferry (2019)"),
      ("Night.Ferry.German.2019.AC3.BDRip.x264-GRP.mkv", "Night Ferry German (2019)"),
      ("Night.Ferry.EXTENDED.1080p.BluRay.mkv", "Night Ferry"),
      ("Night.Ferry.1080p.WEB.H264-GRP.mkv", "Night Ferry"),
      ("Night Ferry 2019 1080p BluRay DD5.1 x264.mkv", "Night Ferry (2019)"),
      ("Night Ferry 2019.mkv", "Night Ferry 2019"),
      ("Night.Ferry.2019.mkv", "Night Ferry (2019)"),
      ("Night Ferry (2019).mkv", "Night Ferry (2019)"),
      ("Night Ferry [2019] DVDRip.avi", "Night Ferry (2019)"),
      ("Night Ferry (2019) {imdb-tt1234567}.mkv", "Night Ferry (2019)"),
      ("Night Ferry (2019) {edition-Director's Cut} [Bluray-1080p].mkv", "Night Ferry (2019)"),
      ("Night Ferry (2019) - Directors Cut.mkv", "Night Ferry (2019)"),
      ("Night Ferry (2019) The Return.mkv", "Night Ferry (2019) The Return"),
      ("www.example.com - Night.Ferry.2019.1080p.WEBRip.x265.mkv", "Night Ferry (2019)"),
      ("[ www.example.com ] - Night Ferry 2019 1080p x265.mkv", "Night Ferry (2019)"),
      ("[GRP] Night Ferry (2019) [1080p].mkv", "Night Ferry (2019)"),
      ("Blade.Runner.2049.2017.2160p.UHD.BluRay.x265.mkv", "Blade Runner 2049 (2017)"),
      ("Blade.Runner.2049.1080p.BluRay.mkv", "Blade Runner 2049"),
      ("2001.A.Space.Odyssey.1968.1080p.BluRay.mkv", "2001 A Space Odyssey (1968)"),
      ("1917.2019.1080p.WEB-DL.mkv", "1917 (2019)"), ("1917.1080p.WEB-DL.mkv", "1917"),
      ("2012.mkv", "2012"), ("300.2006.720p.mkv", "300 (2006)"),
      ("S.W.A.T.2017.1080p.BluRay.mkv", "S.W.A.T. (2017)"),
      ("E.T.the.Extra-Terrestrial.1982.1080p.mkv", "E.T. the Extra-Terrestrial (1982)"),
      ("Mr.Nobody.2009.EXTENDED.1080p.mkv", "Mr Nobody (2009)"),
      ("Spider-Man.Far.from.Home.2019.1080p.mkv", "Spider-Man Far from Home (2019)"),
      ("WALL-E.2008.1080p.BluRay.mkv", "WALL-E (2008)"),
      ("Charlottes.Web.1080p.BluRay.mkv", "Charlottes Web"),
      ("(500) Days of Summer (2009) 720p BluRay.mkv", "(500) Days of Summer (2009)"),
      ("Amélie.2001.FRENCH.1080p.BluRay.x264.mkv", "Amélie (2001)"),
      (
        "Le.Fabuleux.Destin.d'Amélie.Poulain.2001.MULTi.1080p.mkv",
        "Le Fabuleux Destin d'Amélie Poulain (2001)"
      ),
      ("Show.S01E02.The.Name.1080p.WEB.H264-GRP.mkv", "Show S01E02 The Name"),
      ("Show.2019.S01E02.720p.HDTV.x264.mkv", "Show 2019 S01E02"),
      ("Show - 1x02 - The Name.mkv", "Show - 1x02 - The Name"),
      ("night-ferry-2019-1080p-bluray-x264.mkv", "night ferry (2019)"),
      ("Guardians.of.the.Galaxy.Vol.2.2017.3D.1080p.mkv", "Guardians of the Galaxy Vol 2 (2017)"),
      ("Night.Ferry.2160p.HDR10.HEVC.TrueHD.7.1.Atmos.mkv", "Night Ferry"),
      ("Night.Ferry.1954.Criterion.Collection.DVD9.mkv", "Night Ferry (1954)"),
      ("Nachtfähre.2019.German.DTS.DL.1080p.BluRay.x264.mkv", "Nachtfähre (2019)"),
      ("Night.Ferry.1080p.2019.BluRay.mkv", "Night Ferry (2019)"),
      ("Night.Ferry.3D.HSBS.2019.1080p.mkv", "Night Ferry (2019)"),
      ("Night Ferry.2019.mkv", "Night Ferry 2019"), ("Das Boot.mkv", "Das Boot"),
      ("Dr. Strangelove.mkv", "Dr. Strangelove"),
      ("Mission - Impossible (1996).mkv", "Mission - Impossible (1996)"),
      ("夜の船.2019.1080p.mkv", "夜の船 (2019)"), ("...mkv", ".."), ("x264.mkv", "x264"),
      ("", ""), ("20190714_2015 - Tatort.ts", "20190714 2015 - Tatort"),
    ])
  func names(name: String, title: String) {
    #expect(FilmTitle(ofName: name).text == title)
  }

  @Test(
    "takes the title of the folder for a file whose name says nothing",
    arguments: [
      ("Night Ferry (2019)/title_t00.mkv", "Night Ferry (2019)"),
      ("Night Ferry (2019)/title_t03.mkv", "Night Ferry (2019) – title_t03"),
      ("Night Ferry (2019)/movie.mkv", "Night Ferry (2019)"),
      ("Night Ferry (2019)/00800.m2ts", "Night Ferry (2019)"),
      ("Night Ferry/VTS_01_1.mpg", "Night Ferry"),
      ("Night.Ferry.2019.1080p.BluRay.x264-GRP/grp-nf.mkv", "Night Ferry (2019)"),
      ("Night.Ferry.2019.1080p.BluRay.x264-GRP/grp-nightferry-1080p.mkv", "Night Ferry (2019)"),
      ("Show.2019.1080p.x264-GRP/show.s01e02.mkv", "show s01e02"),
      ("Kids/Night Ferry.mkv", "Night Ferry"), ("title_t00.mkv", "title t00"),
    ])
  func paths(path: String, title: String) {
    #expect(FilmTitle(ofPath: path).text == title)
  }

  @Test(
    "a tag does not hide the name of the file, but may spell it better",
    arguments: [
      ("Night.Ferry.2019.1080p.mkv", "Encoded by GRP", "Night Ferry (2019)"),
      ("Night.Ferry.2019.1080p.mkv", "www.example.com", "Night Ferry (2019)"),
      (
        "Night.Ferry.2019.1080p.mkv", "Night.Ferry.2019.1080p.BluRay.x264-GRP",
        "Night Ferry (2019)"
      ),
      ("Night.Ferry.2019.1080p.mkv", "GRP proudly presents", "Night Ferry (2019)"),
      ("Night.Ferry.2019.1080p.mkv", "Night Ferry", "Night Ferry (2019)"),
      ("Amelie.2001.1080p.mkv", "Amélie", "Amélie (2001)"),
      ("Mission Impossible (1996).mkv", "Mission: Impossible", "Mission: Impossible (1996)"),
      ("ferry.mkv", "The Night Ferry", "The Night Ferry"),
      ("title_t00.mkv", "Night Ferry", "Night Ferry"),
      ("Night Ferry (2019)/title_t00.mkv", "DISC_1", "Night Ferry (2019)"),
      ("Show.S01E02.mkv", "The Name", "Show S01E02"), ("Das Boot.mkv", "", "Das Boot"),
    ])
  func tags(path: String, tag: String, title: String) {
    #expect(FilmTitle.displayed(path: path, tag: tag) == title)
    #expect(FilmTitle.displayed(path: "a.mkv", tag: nil) == "a")
  }

  @Test("joins the files of a film, and not those of a series")
  func parts() {
    let paths = [
      "a/Night Ferry CD2.avi", "a/Night Ferry CD1.avi", "b/Night.Ferry.2019.cd1.avi",
      "b/Night.Ferry.2019.cd2.avi", "b/Night.Ferry.2019.cd3.avi", "c/Ferry (2019) - part1.mkv",
      "c/Ferry (2019) - part2.mkv", "d/Ferry [Disc 1].mkv", "d/Ferry [Disc 2].mkv",
    ]
    #expect(
      FilmPart.groups(of: paths) == [
        "a/Night Ferry CD1.avi": ["a/Night Ferry CD2.avi"],
        "b/Night.Ferry.2019.cd1.avi": ["b/Night.Ferry.2019.cd2.avi", "b/Night.Ferry.2019.cd3.avi"],
        "c/Ferry (2019) - part1.mkv": ["c/Ferry (2019) - part2.mkv"],
        "d/Ferry [Disc 1].mkv": ["d/Ferry [Disc 2].mkv"],
      ])
    for apart in [
      ["Ferry Part 1.mkv", "Ferry Part 2.mkv"], ["Ferry CD1.avi", "Ferry CD3.avi"],
      ["Ferry CD2.avi", "Ferry CD3.avi"], ["Ferry 1.mkv", "Ferry 2.mkv"],
      ["a/Ferry CD1.avi", "b/Ferry CD2.avi"], ["Ferry CD1.avi", "Ferry CD2.mkv"],
      ["Ferry1.mkv", "Ferry2.mkv"], ["CD1.mkv", "CD2.mkv"], ["ABCD1.mkv", "ABCD2.mkv"],
      ["Show S01E01.mkv", "Show S01E02.mkv"],
    ] {
      #expect(FilmPart.groups(of: apart).isEmpty, "\(apart)")
    }
    #expect(FilmPart.wholeName(of: "a/Night Ferry CD1.avi") == "a/Night Ferry")
    #expect(FilmPart.wholeName(of: "a/Night Ferry.avi") == "a/Night Ferry.avi")
  }

  @Test(
    "leaves out samples, trailers and extras",
    arguments: [
      "Night Ferry/sample.mkv", "Night Ferry/Sample/nf.mkv", "Night.Ferry.2019.1080p-sample.mkv",
      "sample-night.ferry.mkv", "night.ferry.sample.avi", "Night.Ferry.2019.Sample.1080p.mkv",
      "Night Ferry-trailer.mp4", "Night Ferry (2019)-trailer2.mp4", "Night Ferry - Trailer.mkv",
      "Night Ferry Trailer.mkv", "trailer.mp4", "Trailers/a.mkv", "Night Ferry/Extras/a.mkv",
      "Night Ferry/Featurettes/a.mkv", "Night Ferry/Behind The Scenes/a.mkv",
      "Night Ferry (2019)/Shorts/a.mkv", "Night Ferry-featurette.mkv", "Night Ferry-deleted.mkv",
      "Night Ferry/Deleted Scenes/a.mkv", "Night.Ferry.2019.Trailer.1080p.mkv",
      "Night Ferry (trailer).mp4", "Trailer 2.mp4", "Theatrical Trailer.mkv",
      "Night Ferry - Official Trailer (HD).mp4", "Night Ferry (2019)/RARBG.com.mp4",
    ])
  func extras(path: String) {
    #expect(IgnoredFiles.reason(ofFilm: path) != nil)
  }

  @Test(
    "lists films whose titles look like samples and extras",
    arguments: [
      "The Trailer.mkv", "Trailer Park Boys.mkv", "The Sample.mkv", "Shorts/a.mkv",
      "Anime/Shorts/a.mkv", "Extra Ordinary (2019).mkv", "Free Samples (2012).mkv",
      "The Interview (2014).mkv", "Interview.mkv", "Short.mkv", "The Big Short.mkv", "Scene.mkv",
      "Extras (2005)-S01E01.mkv", "Night Ferry.mkv", "The.Interview.2014.1080p.mkv",
      "Sample This (2012).mkv", "The.Trailer.2019.1080p.mkv", "Trailer 1999.mkv",
      "Trailer.Park.of.Terror.2008.1080p.mkv", "The.Big.Short.mkv",
      "the-big-short.mkv", "crime-scene.mkv", "Extras/Season 1/Extras.S01E01.mkv",
    ])
  func films(path: String) {
    #expect(IgnoredFiles.reason(ofFilm: path) == nil)
  }

  @Test("does not search the folders of systems")
  func systemFolders() {
    for name in ["@eaDir", "#recycle", "$RECYCLE.BIN", "lost+found", "System Volume Information"] {
      #expect(IgnoredFiles.isSystemFolder(name))
      #expect(IgnoredFiles.isInSystemFolder("a/\(name)/b.mkv"))
    }
    #expect(!IgnoredFiles.isSystemFolder("Recycle"))
    #expect(!IgnoredFiles.isInSystemFolder("a/@eaDir"))
  }

  @Test("knows films, music and the files of discs by their names")
  func kinds() {
    for path in [
      "a.vob", "a.ASF", "a.f4v", "a.rmvb", "a/VIDEO_TS/VIDEO_TS.IFO", "a/Video_ts/video_ts.ifo",
      "a/BDMV/index.bdmv", "a.m2ts", "a/b.dvr-ms",
    ] {
      #expect(FilmFiles.contains(path), "\(path)")
    }
    for path in [
      "a/VIDEO_TS/VTS_01_1.VOB", "VTS_01_1.VOB", "a/BDMV/STREAM/00000.m2ts", "VIDEO_TS.IFO",
      "BDMV/index.bdmv", "a/BDMV/BACKUP/index.bdmv", "a.srt", "a", "a.mp3", ".mkv", "a.mkv/b",
      "a/video_ts.vob",
    ] {
      #expect(!FilmFiles.contains(path), "\(path)")
    }
    #expect(FilmFiles.discFolder(ofIndex: "a/b/Bdmv/INDEX.BDMV") == "a/b")
    #expect(UnplayedFiles.reason(for: "a.mkv.part") != nil)
    #expect(UnplayedFiles.reason(for: "a.rar") != nil)
    #expect(UnplayedFiles.reason(for: "a.nfo") == nil)
  }
}
