/** Blocks of any side of a conversation: what is text in them counts. */
type Content = string | readonly { readonly type: string }[] | undefined;

/** What a person would read of it. */
export function contentText(content: Content): string {
  if (typeof content === 'string') return content;
  return (content ?? [])
    .flatMap((block) => ('text' in block && typeof block.text === 'string' ? [block.text] : []))
    .join(' ');
}
