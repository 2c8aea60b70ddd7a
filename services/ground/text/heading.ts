/**
 * Returns the text of a Markdown heading without its closing marks; `C#` keeps its sign. Runs in a single pass, however long the line is.
 */
export const headingText = (line: string): string => line.trimEnd().replace(/(?<=[ \t])#+$/, '').trimEnd()
