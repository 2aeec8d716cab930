import Foundation
import HTTPTypes
import Hummingbird
import LendingService

/// Hummingbird's requests and responses as the service's values.
struct LendingResponder: HTTPResponder {
  let service: LendingService

  func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
    let body: ByteBuffer
    do { body = try await request.body.collect(upTo: 65_536) } catch let error as any HTTPResponseError {
      return Response(status: error.status)
    }
    let headers = request.headers.map { ($0.name.canonicalName, $0.value) }
    let response = await service.respond(
      to: ServiceRequest(
        request.method.rawValue, request.uri.string, headers: Dictionary(headers) { $1 },
        body: Data(buffer: body)))
    var fields = HTTPFields()
    for (name, value) in response.headers { if let name = HTTPField.Name(name) { fields[name] = value } }
    return Response(
      status: HTTPResponse.Status(code: response.status), headers: fields, body: Self.body(of: response))
  }

  private static func body(of response: ServiceResponse) -> ResponseBody {
    switch response.body {
    case .json(let data): ResponseBody(byteBuffer: ByteBuffer(data: data))
    case .events(let messages):
      ResponseBody { writer in
        for try await message in messages { try await writer.write(ByteBuffer(string: message)) }
        try await writer.finish(nil)
      }
    }
  }
}
