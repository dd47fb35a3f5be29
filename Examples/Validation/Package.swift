// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Validation",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "HomeTheater", path: "../..")],
  targets: [
    .executableTarget(
      name: "PasswordCheck",
      dependencies: [.product(name: "Validation", package: "HomeTheater")])
  ]
)
