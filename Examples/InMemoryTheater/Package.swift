// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "InMemoryTheater",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "HomeTheater", path: "../..")],
  targets: [
    .executableTarget(
      name: "InMemoryTheater",
      dependencies: [.product(name: "HomeTheater", package: "HomeTheater")])
  ]
)
