import { CliError } from '../cli-error';

/** What came in cannot be answered, so there is no result either: the message on stderr is all. */
export class UnusableInput extends CliError {}
