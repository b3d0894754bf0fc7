import { z } from 'zod';

const record = z.record(z.string(), z.unknown());

/** What a hook may print or return. Keys that everloop does not know are left alone.
 *  Source: the public hooks reference, "JSON output". */
export const AnswerJson = z.object({
  continue: z.boolean().nullish(),
  stopReason: z.string().nullish(),
  suppressOutput: z.boolean().nullish(),
  systemMessage: z.string().nullish(),
  decision: z.enum(['approve', 'block']).nullish(),
  reason: z.string().nullish(),
  hookSpecificOutput: z
    .object({
      hookEventName: z.string().optional(),
      permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']).nullish(),
      permissionDecisionReason: z.string().nullish(),
      updatedInput: record.nullish(),
      additionalContext: z.string().nullish(),
      updatedToolOutput: z.unknown().optional(),
      updatedMCPToolOutput: z.unknown().optional(),
      decision: z
        .discriminatedUnion('behavior', [
          z.object({
            behavior: z.literal('allow'),
            updatedInput: record.nullish(),
            updatedPermissions: z.array(z.unknown()).nullish(),
          }),
          z.object({
            behavior: z.literal('deny'),
            message: z.string().nullish(),
            interrupt: z.boolean().nullish(),
          }),
        ])
        .nullish(),
    })
    .nullish(),
});
export type AnswerJson = z.infer<typeof AnswerJson>;
