/** An earlier attempt was under way when its Worker went, and nothing tells whether its effect happened.
 *  The caller reports it to the model as an error that says so; it is never run again unasked. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}
