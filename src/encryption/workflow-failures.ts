import { defaultPayloadConverter } from '@temporalio/common';
import type { coresdk, temporal } from '@temporalio/proto';

type Completion = coresdk.workflow_completion.IWorkflowActivationCompletion;
type Failure = temporal.api.failure.v1.IFailure;

/** Makes payloads of the messages and stack traces of all failures that a Workflow hands to the server. The sandbox's
 *  own converter, which is part of the bundle and the same whether there are keys or not, leaves them as text. */
export function encodeFailures(completion: Completion): Completion {
  encode(completion.failed?.failure);
  for (const command of completion.successful?.commands ?? []) {
    encode(command.failWorkflowExecution?.failure);
    encode(command.updateResponse?.rejected);
    encode(command.respondToQuery?.failed);
  }
  return completion;
}

const ENCODED = 'Encoded failure';

/** As `DefaultFailureConverter` of the SDK does it. */
function encode(failure: Failure | null | undefined): void {
  for (let one = failure; one != null; one = one.cause) {
    const { message, stackTrace, encodedAttributes } = one;
    // One that came from an Activity has its attributes still, and its message beside them.
    if (encodedAttributes != null && message === ENCODED) continue;
    const attributes = { message: message ?? '', stack_trace: stackTrace ?? '' };
    one.encodedAttributes = defaultPayloadConverter.toPayload(attributes);
    one.message = ENCODED;
    one.stackTrace = '';
  }
}
