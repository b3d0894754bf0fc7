/** Marks text as ours; the system prompt tells the model what the mark means. A text that contains the closing
 *  mark cannot end it early. */
export function toReminder(text: string): string {
  const contained = text.replace(/<(\/?)system-reminder>/gi, '‹$1system-reminder›');
  return `<system-reminder>\n${contained}\n</system-reminder>`;
}
