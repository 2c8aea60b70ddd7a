/** `NAME=value` lines as the interface takes them: a name alone keeps its value (null). */
export function parseValues (text: string): Record<string, string | null> {
  const lines = text.split('\n').map((line) => line.trim()).filter((line) => line !== '')
  return Object.fromEntries(lines.map((line) => {
    const at = line.indexOf('=')
    return at === -1 ? [line, null] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
  }))
}

export const linesOf = (text: string): string[] => text.split('\n').map((line) => line.trim()).filter((line) => line !== '')
