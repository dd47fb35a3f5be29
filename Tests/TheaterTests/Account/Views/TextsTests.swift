import AccountFlows
import Foundation
import TestSupport
import Testing
import Validation

@testable import theater

/// The folder of the page's texts in this package.
private let folder = Program.project.appending(path: "Sources/WebServer/Site/text").path

@Suite("texts of the terminal in the page's languages")
struct TextsTests {
  @Test(
    "takes the language from LC_ALL, LC_MESSAGES or LANG, in this order",
    arguments: [
      (["LANG": "uk_UA.UTF-8"], "uk"),
      (["LANG": "uk_UA.UTF-8", "LC_MESSAGES": "ru_RU.utf8"], "ru"),
      (["LANG": "uk_UA.UTF-8", "LC_ALL": "en_GB.UTF-8"], "en"),
      (["LANG": "ru.UTF-8", "LC_ALL": ""], "ru"), (["LANG": "uk_UA.KOI8-U"], nil),
      (["LANG": "C"], nil), ([:], nil),
    ] as [([String: String], String?)])
  func language(environment: [String: String], wanted: String?) {
    #expect(Texts.language(of: environment) == wanted)
  }

  @Test("shows the login in the language of the terminal", arguments: ["uk", "ru"])
  func login(language: String) {
    let texts = Texts(language: language, folder: folder)
    let harness = ViewHarness(LoginView(style: plain, texts: texts), LoginScreen())
    let wanted = ["uk": ["Увійти", "електронна пошта"], "ru": ["Войти", "электронная почта"]]
    for text in wanted[language, default: []] { #expect(harness.text.contains(text)) }
    #expect(!harness.text.contains("Log in ]") && !harness.text.contains("e-mail address"))
  }

  @Test("finds the texts of the staged page, whatever its version")
  func stagedPage() throws {
    let site = try TemporaryFolder()
    try site.write("page/0a1b/text/uk.json", Array(#"{"do": {"back": "Назад"}}"#.utf8))
    let texts = Texts(language: "uk", folder: Texts.folder(ofSite: site.path))
    #expect(texts("do.back", "Back") == "Назад")
    let none = Texts(language: "uk", folder: Texts.folder(ofSite: "/nowhere"))
    #expect(none("do.back", "Back") == "Back")
  }

  @Test("C4 · translates the rules of a new password, and keeps the words of the configuration")
  func rules() {
    let texts = Texts(language: "uk", folder: folder)
    var own = RuleSet.standard
    own[.password].rules.append(Rule(.digit, statement: "one of my digits"))
    let harness = ViewHarness(
      NewPasswordView(style: plain, texts: texts), NewPasswordScreen(texts.worded(own)))
    #expect(harness.text.contains("Ваш новий пароль"))
    #expect(harness.text.contains("символів щонайменше: 8"))
    #expect(harness.text.contains("one of my digits"))
  }

  @Test(
    "falls back to English without the language, the file or the text",
    arguments: [("de", folder), ("uk", "/nowhere")])
  func fallback(language: String, folder: String) {
    let texts = Texts(language: language, folder: folder)
    #expect(texts("login.go", "Log in") == "Log in")
    #expect(texts.worded(.standard) == .standard)
  }

  @Test("both languages have the texts of the terminal and the names of the fields")
  func keys() {
    for language in ["uk", "ru"] {
      let texts = Texts(language: language, folder: folder)
      for key in [
        "login.go", "login.busy", "register.title", "register.go", "register.busy", "reset.yours",
        "step.of", "form.checking", "ask.name", "ask.email", "ask.password",
      ] + RuleSet.standard.fields.map({ "rule.field.\($0.name)" }) {
        #expect(!texts(key, "").isEmpty, "\(language) \(key)")
      }
    }
  }
}
