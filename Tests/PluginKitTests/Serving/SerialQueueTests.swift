import Devices
import PluginProtocol
import Testing

@testable import PluginKit

@Suite("The jobs of a device")
struct SerialQueueTests {
  private func job(_ id: Int) -> DeviceJob {
    DeviceJob(id: id, request: UnplugRequest(device: "cd"))
  }

  @Test("F1 · jobs are taken in their order, whether they or the reader came first")
  func order() async {
    let queue = SerialQueue()
    for id in 1...3 { queue.add(job(id)) }
    for id in 1...3 { #expect(await queue.next()?.id == id) }
    async let waiting = queue.next()
    queue.add(job(4))
    queue.add(job(5))
    #expect(await waiting?.id == 4)
    #expect(await queue.next()?.id == 5)
  }

  @Test("F1 · a closed queue delivers or drops its jobs, and ends its reader")
  func end() async {
    let patient = SerialQueue()
    patient.add(job(1))
    patient.finish()
    patient.add(job(2))
    #expect(await patient.next()?.id == 1)
    #expect(await patient.next()?.id == nil)

    let hasty = SerialQueue()
    hasty.add(job(1))
    hasty.finish(droppingWaitingJobs: true)
    #expect(await hasty.next()?.id == nil)

    let idle = SerialQueue()
    async let waiting = idle.next()
    idle.finish()
    #expect(await waiting?.id == nil)
  }
}
