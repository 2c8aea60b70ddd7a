/** What a heading of Markdown says, without the marks that close it; C# is a name. In one pass, however long it is. */
export const headingText = (line: string): string => line.trimEnd().replace(/(?<=[ \t])#+$/, '').trimEnd()
