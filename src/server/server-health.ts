import { connect } from 'node:http2';

const DESCRIBE_NAMESPACE = '/temporal.api.workflowservice.v1.WorkflowService/DescribeNamespace';

/** True when a Temporal server answers at `host:port` and has the namespace; never throws.
 *
 *  One gRPC call over node:http2 costs some milliseconds. Loading the Temporal client for it would cost every command
 *  about 0.3 s before its first line.
 */
export function isServing(address: string, namespace: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const session = connect(`http://${address}`);
    const finish = (answer: boolean): void => {
      clearTimeout(timer);
      session.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => finish(false), timeoutMs);
    session.on('error', () => finish(false));

    const request = session.request({
      ':method': 'POST',
      ':path': DESCRIBE_NAMESPACE,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    // A call that fails at once carries its status in the headers, any other in the trailers. 0 is OK.
    request.on('response', ({ 'grpc-status': status }) => {
      if (status !== undefined) finish(status === '0');
    });
    request.on('trailers', ({ 'grpc-status': status }) => finish(status === '0'));
    request.on('error', () => finish(false));
    request.on('close', () => finish(false));
    request.resume();
    request.end(grpcFrame(describeNamespaceRequest(namespace)));
  });
}

/** DescribeNamespaceRequest { string namespace = 1; } in protobuf's encoding. */
function describeNamespaceRequest(namespace: string): Buffer {
  const name = Buffer.from(namespace);
  if (name.length > 127) throw new RangeError(`Namespace of ${name.length} bytes: at most 127`);
  return Buffer.concat([Buffer.from([0x0a, name.length]), name]);
}

/** gRPC puts a flag (0: not compressed) and the length before each message. */
function grpcFrame(message: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}
