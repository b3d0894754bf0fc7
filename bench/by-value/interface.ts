import type Anthropic from '@anthropic-ai/sdk';
import type { Order } from '../protocol';

export interface ByValueInput {
  readonly prompt: Order['prompt'];
  readonly text: string;
}

export interface ByValueActivities {
  callModel(request: Anthropic.MessageCreateParamsNonStreaming): Promise<Anthropic.Message>;
  callTool(name: string, input: unknown): Promise<string>;
}
